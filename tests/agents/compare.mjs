// Compares the skills that an agent showed its model with those that `skills list` says it loads.
//
//   node compare.mjs AGENT LOG LIST OURS
//
// LOG is what fake-api.mjs wrote, LIST the JSON of `skills list`. Agents bring skills of their own,
// which count only where LIST has them, too; the names of all others match the pattern OURS. Prints
// the names, or the difference and ends with 1.

import { readFileSync } from 'node:fs';

const [agent, log, list, ours] = process.argv.slice(2);

// How the listings look, from one skill to the next: its name, then its description.
const TAGS = /<skill>\s*<name>(.*?)<\/name>\s*<description>(.*?)<\/description>/gs;
const SHAPES = {
    claude: /^- (.+?): (.*)$/gm,
    codex: /^- (.+?): (.*?) \(file: [^\n]*\)$/gms,
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

function listing(text) {
    const part = PARTS[agent] ? (PARTS[agent].exec(text)?.[0] ?? '') : text;
    return [...part.matchAll(SHAPES[agent] ?? TAGS)].map(([, name, description]) => ({
        name,
        description: ESCAPING.includes(agent) ? unescaped(description) : description,
    }));
}

function requests() {
    const lines = readFileSync(log, 'utf8').split('\n').filter(Boolean);
    return lines.map((line) => JSON.parse(line).body).filter((body) => body.startsWith('{'));
}

const isActive = ({ status }) => status === 'active';
const listed = JSON.parse(readFileSync(list, 'utf8')).skills.filter(isActive);
const known = new Set(listed.map(({ name }) => name));
const shown = requests()
    .map((body) => texts(JSON.parse(body)).flatMap(listing))
    // Some also ask for a title or the like, without telling of skills.
    .find((skills) => skills.length > 0)
    ?.filter(({ name }) => known.has(name) || new RegExp(ours).test(name));

const whole = ({ name, description }) => `${name}: ${JSON.stringify(description)}`;
const told = (skills) => skills.map(whole);
const names = (skills) => skills.map(({ name }) => name).join(' ');
const without = (some, others) => some.filter((one) => !others.includes(one));

function difference() {
    if (!shown) return ['it showed no skills'];
    const added = without(told(shown), told(listed));
    const missing = without(told(listed), told(shown));
    const said = [
        ...added.map((skill) => `shown, but not listed: ${skill}`),
        ...missing.map((skill) => `listed, but not shown: ${skill}`),
    ];
    if (said.length === 0 && names(shown) !== names(listed)) {
        said.push(`shown in the order ${names(shown)}, listed in the order ${names(listed)}`);
    }
    return said;
}

const differences = difference();
console.log(differences.join('; ') || names(shown));
process.exitCode = differences.length > 0 ? 1 : 0;
