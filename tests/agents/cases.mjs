// Puts files before an agent, and records what it made of each.
//
//   node cases.mjs put CASES DIR          one home for each batch of files: DIR/0, DIR/1, ...
//   node cases.mjs take CASES DIR AGENT   stores the answers that DIR/*/requests hold in CASES
//
// CASES is JSON: a list of {"directory", "text" or "hex", and for each agent null or
// ["name", "description"]}.

import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

import { shown } from './listing.mjs';

// No listing of this many short skills is cut by any agent.
const BATCH = 40;

// Of several skills with one name, Gemini shows one.
const isNameless = ({ text }) => /^\s*name:\s*(''|""|~|null)?\s*$/m.test(text ?? '');

// One line a case, and nothing but ASCII.
export function written(cases) {
    const escaped = (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`;
    const line = (one) => JSON.stringify(one).replace(/[^ -~]/g, escaped);
    return `[\n${cases.map(line).join(',\n')}\n]\n`;
}

// Random choices; the same seed always gives the same ones.
export function dice(seed) {
    let state = Number(seed) >>> 0;
    function next() {
        state = (state + 0x6d2b79f5) >>> 0;
        let mixed = Math.imul(state ^ (state >>> 15), state | 1);
        mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
        return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    }
    const upTo = (most) => Math.floor(next() * (most + 1));
    const pick = (list) => list[upTo(list.length - 1)];
    return { next, upTo, pick, chance: (probability) => next() < probability };
}

const bytes = ({ text, hex }) => (hex === undefined ? Buffer.from(text) : Buffer.from(hex, 'hex'));

function put(cases, dir) {
    const batches = [];
    for (const one of cases) {
        const fits = (batch) =>
            batch.length < BATCH && !(isNameless(one) && batch.some(isNameless));
        const batch = batches.find(fits);
        if (batch) batch.push(one);
        else batches.push([one]);
    }
    batches.forEach((batch, number) => {
        mkdirSync(`${dir}/${number}/home/project`, { recursive: true });
        writeFileSync(`${dir}/${number}/cwd`, 'home/project\n');
        for (const one of batch) {
            for (const root of ['.claude', '.agents']) {
                const skill = `${dir}/${number}/home/${root}/skills/${one.directory}`;
                mkdirSync(skill, { recursive: true });
                writeFileSync(`${skill}/SKILL.md`, bytes(one));
            }
        }
    });
}

// Copilot tells its model no path, so that only the name is left to go by.
function belongs({ directory }, { name, location }) {
    if (/\//.test(location ?? '')) return location.includes(`/${directory}/SKILL.md`);
    return name === directory || name.startsWith(`${directory} (`) || name.includes(directory);
}

function take(cases, dir, agent) {
    for (const batch of readdirSync(dir)) {
        const skills = shown(agent, `${dir}/${batch}/requests`);
        if (!skills) throw new Error(`${agent} showed no skills in ${dir}/${batch}`);
        const directories = new Set(readdirSync(`${dir}/${batch}/home/.agents/skills`));
        for (const one of cases.filter(({ directory }) => directories.has(directory))) {
            const found = skills.find((skill) => belongs(one, skill));
            one[agent] = found ? [found.name, found.description] : null;
        }
    }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
    const [verb, file, dir, agent] = process.argv.slice(2);
    const cases = JSON.parse(readFileSync(file, 'utf8'));
    if (verb === 'put') {
        put(cases, dir);
    } else {
        take(cases, dir, agent);
        writeFileSync(file, written(cases));
        const listed = cases.filter((one) => one[agent]).length;
        console.log(`${listed} of ${cases.length} files shown`);
    }
}
