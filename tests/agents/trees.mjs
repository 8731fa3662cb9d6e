// Writes random directory trees that agents may disagree about, puts them before an agent, and
// records what it made of them.
//
//   node trees.mjs make SEED COUNT         prints trees as JSON; the same seed gives the same trees
//   node trees.mjs put TREES DIR           creates them: DIR/0, DIR/1, ...
//   node trees.mjs take TREES DIR AGENT    stores the answers that DIR/*/requests hold in TREES
//
// A tree is {"cwd", "tree", and for each agent the list of "name description" that it showed}. In
// "tree", an object is a directory, `-> x` a link to x, another string a file, and a list is a
// `SKILL.md`: its number, its name, and `hidden` or `undescribed`. Descriptions are T and the
// number, bodies B and the number. The home is `home`; what leads to a skill may be in `project`.

import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';

import { dice, written } from './cases.mjs';
import { sent, shown } from './listing.mjs';

const NAMES = ['a', 'b', 'B', 'c', 'd-e', 'd_e', 'x9', 'x10', 'Z'];
const PROJECT = ['.claude', '.claude', '.agents', '.agents', '.codex', '.opencode', '.github', '.gemini', '.pi'];
const USER = [
    '.claude/skills', '.claude/skills', '.agents/skills', '.agents/skills', '.codex/skills',
    '.config/opencode/skills', '.config/opencode/skill', '.opencode/skill', '.opencode/skills',
    '.copilot/skills', '.gemini/skills', '.pi/agent/skills', '.github/skills',
];
const WHERE = ['home/r/a', 'project/r/a', 'project/r/a/b', 'project/r', 'home/r', 'home'];
const PATTERNS = ['a', 'b/', '/c', 'd*', '!d-e', 'g/a', 'g/**', '**/x9', '*.md', '# a', 'SKILL.md', '!a', '/g/', '\\#x'];

// The entry at a path, or where it would be; none below a file or a link.
function parent(tree, path) {
    const parts = path.split('/');
    const last = parts.pop();
    let at = tree;
    for (const part of parts) {
        at[part] ??= {};
        at = at[part];
        if (typeof at !== 'object' || Array.isArray(at)) return [{}, last];
    }
    return [at, last];
}

function random(roll) {
    const { pick, chance, upTo } = roll;
    const tree = { home: {}, project: {} };
    let number = 0;
    let loops = 0;
    const set = (path, value) => {
        const [at, last] = parent(tree, path);
        at[last] ??= value;
    };
    const link = (path, target) => set(path, `-> ${relative(dirname(path), target) || '.'}`);
    const skill = (directory) => {
        const name = pick([directory, directory, directory, directory, pick(NAMES), pick(NAMES), null]);
        number += 1;
        return [number, name, ...(chance(0.12) ? ['undescribed'] : chance(0.06) ? ['hidden'] : [])];
    };
    const POOL = 'project/pool';
    const pooled = () => `${POOL}/${pick(['a', 'c', 'g', 'g/b', 'top', 'deep/1/2'])}`;

    const ENTRIES = [
        [40, (path) => fill(path, 9)],
        [8, (path) => (set(`${path}/SKILL.md`, skill(path.split('/').at(-1))), entry(path, 1))],
        [14, (path, level) => level < 4 && many(path, upTo(3), level + 1)],
        [2, (path) => fill(`${path}/1/2/3/${pick(['4', '4/5', '4/5/6'])}/${pick(NAMES)}`, 9)],
        [6, (path) => fill(`${dirname(path)}/.${path.split('/').at(-1)}`, chance(0.7) ? 9 : 1)],
        [3, (path) => fill(`${dirname(path)}/node_modules/${chance(0.5) ? pick(NAMES) : ''}`, 9)],
        [12, (path) => link(path, pooled())],
        [4, (path) => link(path, `${dirname(path)}/${pick(NAMES)}`)],
        [2, (path) => (loops += 1) === 1 && link(path, dirname(pick([path, dirname(path)])))],
        [1, (path) => link(path, 'nowhere')],
        [5, (path) => link(`${path}/SKILL.md`, `${POOL}/${pick(['file.md', 'a/SKILL.md', 'no'])}`)],
        [2, (path) => set(`${path}/skill.md`, skill('lower'))],
        [1, (path) => fill(`${path}/SKILL.md`, 9)],
        [1, (path) => set(path, {})],
        [2, (path) => set(`${path}.md`, skill('plain'))],
    ];
    const total = ENTRIES.reduce((sum, [weight]) => sum + weight, 0);
    function entry(directory, level) {
        const path = `${directory}/${pick([...NAMES, 'g'])}`;
        let at = roll.next() * total;
        ENTRIES.find(([weight]) => (at -= weight) < 0)[1](path.replace(/\/+/g, '/'), level);
    }
    function many(directory, count, level) {
        for (let done = 0; done <= count; done += 1) entry(directory, level);
    }
    // One skill at the path, or entries below it.
    function fill(path, level) {
        if (level < 9) many(path, 2, level);
        else set(`${path}/SKILL.md`.replace(/\/+/g, '/'), skill(path.split('/').findLast(Boolean)));
    }
    function root(path) {
        const odd = roll.next();
        if (odd < 0.05) return link(path, chance(0.5) ? POOL : `${POOL}/top`);
        if (odd < 0.08) return link(dirname(path), `${POOL}/dot`);
        if (odd < 0.1) return link(path, `${dirname(path)}/../.agents/skills`);
        if (odd < 0.11) return set(path, 'a file\n');
        if (chance(0.1)) {
            const file = `${path}/SKILL.md`;
            pick([
                () => set(file, skill('rooted')),
                () => set(file, skill('rooted')),
                () => link(file, `${POOL}/file.md`),
                () => link(file, 'nowhere'),
                () => set(file, {}),
            ])();
        }
        many(path, upTo(4), 0);
        if (/\.agents|\.pi/.test(path) && chance(0.35)) {
            const below = pick([path, path, `${path}/g`]);
            const rules = Array.from({ length: 1 + upTo(2) }, () => pick(PATTERNS));
            set(`${below}/${pick(['.gitignore', '.ignore', '.fdignore'])}`, `${rules.join('\n')}\n`);
        }
    }

    for (const path of ['a', 'c', 'g/b', 'g/d-e/deeper', 'deep/1/2/x9', 'top/a', 'dot/skills/a']) {
        fill(`${POOL}/${path}`, 9);
    }
    set(`${POOL}/top/SKILL.md`, skill('top'));
    set(`${POOL}/file.md`, skill('linked'));
    const cwd = pick(WHERE);
    set(`${cwd}/here`, 'a file\n');
    const bases = [];
    for (let at = cwd; at.includes('/'); at = dirname(at)) bases.push(at);
    if (bases.length > 1 || chance(0.3)) bases.push(dirname(bases.at(-1) ?? `${cwd}/.`));
    for (const base of bases) {
        for (let done = upTo(3); done >= 0; done -= 1) root(`${base}/${pick(PROJECT)}/skills`);
    }
    for (let done = 1 + upTo(4); done >= 0; done -= 1) root(`home/${pick(USER)}`);
    const top = pick([bases.at(-2), bases.at(-2), bases[0], 'home', null, null]);
    if (top) {
        set(`${top}/.git/HEAD`, 'ref: refs/heads/main\n');
        set(`${top}/.git/objects`, {});
        set(`${top}/.git/refs`, {});
        if (chance(0.2)) set(`${top}/.gitignore`, '.agents\n.claude/\n');
    }
    return { cwd, tree };
}

function text([number, name, also]) {
    const lines = [
        ...(name === null ? [] : [`name: ${name}`]),
        ...(also === 'undescribed' ? [] : [`description: T${number}`]),
        ...(also === 'hidden' ? ['disable-model-invocation: true'] : []),
    ];
    return `---\n${lines.join('\n')}\n---\nB${number}\n`;
}

function create(path, entry) {
    if (Array.isArray(entry)) writeFileSync(path, text(entry));
    else if (typeof entry === 'object') {
        mkdirSync(path, { recursive: true });
        for (const [name, below] of Object.entries(entry)) create(`${path}/${name}`, below);
    } else if (entry.startsWith('-> ')) symlinkSync(entry.slice(3), path);
    else writeFileSync(path, entry);
}

function take(trees, dir, agent) {
    trees.forEach((one, number) => {
        const log = `${dir}/${number}/requests`;
        if (!existsSync(log)) return;
        if (sent(log).length === 0) throw new Error(`${agent} asked nothing in ${dir}/${number}`);
        // Agents bring skills of their own.
        const ours = (shown(agent, log) ?? []).filter(({ description }) => /^[TB]\d+$/.test(description));
        one[agent] = ours.map(({ name, description }) => `${name} ${description}`);
    });
}

const [verb, ...words] = process.argv.slice(2);
if (verb === 'make') {
    const roll = dice(words[0]);
    process.stdout.write(written(Array.from({ length: Number(words[1]) }, () => random(roll))));
} else {
    const [file, dir, agent] = words;
    const trees = JSON.parse(readFileSync(file, 'utf8'));
    if (verb === 'put') {
        trees.forEach(({ cwd, tree }, number) => {
            create(`${dir}/${number}`, tree);
            writeFileSync(`${dir}/${number}/cwd`, `${cwd}\n`);
        });
    } else {
        take(trees, dir, agent);
        writeFileSync(file, written(trees));
        console.log(`${trees.filter((one) => one[agent]).length} of ${trees.length} trees`);
    }
}
