// Reads the skills that an agent showed its model from what fake-api.mjs wrote.

import { readFileSync } from 'node:fs';

// How the listings look, from one skill to the next: its name, then its description.
const TAGS =
    /<skill>\s*<name>(.*?)<\/name>\s*<description>(.*?)<\/description>\s*<location>(.*?)<\/location>/gs;
const SHAPES = {
    claude: /^- (.+?): (.*)$/gm,
    codex: /^- (.+?): (.*?) \(file: ([^\n]*)\)$/gms,
};
// The part of the text where such lines are skills.
const PARTS = {
    claude: /^The following skills are available for use with the Skill tool:\n\n(?:- .*\n?)+/m,
    codex: /^### Available skills\n.*?^<\/skills_instructions>/ms,
};
// `skills list` has the description, and these two agents escape it in their listings.
const ESCAPING = ['copilot', 'pi'];
const CHARACTERS = { lt: '<', gt: '>', quot: '"', apos: "'", '#39': "'", amp: '&' };

const unescaped = (text) => text.replace(/&([a-z]+|#39);/g, (_, name) => CHARACTERS[name]);

// Everything that a request says, wherever an API wants it to be said.
function texts(value) {
    if (typeof value === 'string') return [value];
    return value && typeof value === 'object' ? Object.values(value).flatMap(texts) : [];
}

function listing(agent, text) {
    const part = PARTS[agent] ? (PARTS[agent].exec(text)?.[0] ?? '') : text;
    return [...part.matchAll(SHAPES[agent] ?? TAGS)].map(([, name, description, location]) => ({
        name: ESCAPING.includes(agent) ? unescaped(name) : name,
        description: ESCAPING.includes(agent) ? unescaped(description) : description,
        location,
    }));
}

// What an agent asked a model.
export function sent(log) {
    const lines = readFileSync(log, 'utf8').split('\n').filter(Boolean);
    return lines.map((line) => JSON.parse(line).body).filter((body) => body.startsWith('{'));
}

// The skills of the first request that has any, in order; some agents also ask for a title or the
// like, without telling of skills.
export function shown(agent, log) {
    const skills = (body) => texts(JSON.parse(body)).flatMap((text) => listing(agent, text));
    return sent(log).map(skills).find((found) => found.length > 0);
}
