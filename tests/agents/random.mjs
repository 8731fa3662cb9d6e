// Writes random `SKILL.md` files that agents may disagree about, as JSON for `run --observe`.
//
//   node random.mjs SEED COUNT PREFIX
//
// Each file combines line endings, C1 characters, commas, empty values, flow collections and block
// scalars with at most two YAML faults. The same seed always gives the same files. Directories are
// called PREFIX and a number, and every `name` starts with its directory, so that an answer can be
// traced to its file.

import { dice, written } from './cases.mjs';

const [seed, count, prefix] = process.argv.slice(2);

const { next: random, pick, chance } = dice(seed);
const shuffle = (list) => {
    for (let at = list.length - 1; at > 0; at -= 1) {
        const other = Math.floor(random() * (at + 1));
        [list[at], list[other]] = [list[other], list[at]];
    }
};

const C1 = ['\u0080', '\u0085', '\u0090', '\u009b', '\u009f'];
const WORDS = ['sort', 'files', 'by size', 'when asked', 'with tools', 'for tests', 'and print'];
const words = () => `${pick(WORDS)} ${pick(WORDS)}`;
const c1 = () => {
    const text = words();
    const at = Math.floor(random() * (text.length + 1));
    return text.slice(0, at) + pick(C1) + text.slice(at);
};

const PLAIN = [
    words,
    words,
    c1,
    () => `, ${words()}`,
    () => `,${words()}`,
    () => `${words()},`,
    () => `${pick(WORDS)}, ${pick(WORDS)}, ${pick(WORDS)}`,
    () => `${words()} [${pick(WORDS)}, ${pick(WORDS)}]`,
    () => `${words()} {${pick(WORDS)}}`,
    () => `(${words()}), ${pick(WORDS)}`,
];
const QUOTED = [
    () => `"${words()}, ${pick(WORDS)}"`,
    () => `'${words()}, ${pick(WORDS)}'`,
    () => `"${c1()}"`,
    () => `'${c1()}'`,
    () => `"${words()}\\x85${pick(WORDS)}"`,
    () => `"${words()}\\u0080"`,
    () => `"${words()}\\N${pick(WORDS)}"`,
    () => '""',
    () => "''",
];
const BLOCK = () => {
    const header = pick(['|', '>', '|-', '>-', '|+', '>+', '|2', '>2-', '| # note', '>  ']);
    const line = () => pick([words, words, c1, () => `${words()}:`, () => `- ${words()}`])();
    const lines = [line(), line()];
    if (chance(0.3)) lines.splice(1, 0, '');
    if (chance(0.2)) lines[lines.length - 1] = `  ${lines.at(-1)}`;
    if (chance(0.2)) lines.push('');
    return `${header}\n${lines.map((one) => (one ? `  ${one}` : '')).join('\n')}`;
};
const WRAPPED = () => `${words()},\n  ${words()}`;
const EMPTY = () => pick(['', '', '~', 'null', '[]', '{}', ' ']);

const item = () => pick(['a', 'b c', '"q"', "'s'", 'x-1', '7', 'true', 'Read', 'Bash(ls)', '', '[n]']);
const entry = () =>
    pick([
        () => `k: ${pick(['v', '"v"', '[v]', '{v: w}', ''])}`,
        () => `"q":${pick(['v', '"v"', '["v"]', '{"v":1}'])}`,
        () => pick(['bare', '"bare"', '["list"]', '{m: n}']),
        () => `z: ${pick(WORDS)}`,
    ])();
const list = (one, open, close) => {
    const entries = Array.from({ length: Math.floor(random() * 4) }, one);
    const gap = pick([', ', ',', ' , ', ',\n  ']);
    return `${open}${entries.join(gap)}${chance(0.2) ? ',' : ''}${close}`;
};
const FLOW = () => (chance(0.5) ? list(item, '[', ']') : list(entry, '{', '}'));
const NESTED = () =>
    `{"requires":{"bins":["bc"]${pick(['', '', ',["touch"]', ',"env":[]', ',,', ', x'])}}${pick(['', ',', ', y: 1'])}}`;

const VALUES = [PLAIN, PLAIN, QUOTED, [BLOCK], [WRAPPED], [EMPTY], [FLOW], [NESTED]];
const value = () => pick(pick(VALUES))();
const description = () =>
    chance(0.15) ? value() : pick(pick([PLAIN, PLAIN, PLAIN, QUOTED, [BLOCK], [BLOCK], [WRAPPED]]))();

const OTHERS = ['metadata', 'allowed-tools', 'license', 'argument-hint', 'tags', 'version'];
const other = (key) => {
    if (key === 'metadata') {
        return pick([FLOW, NESTED, NESTED, EMPTY, () => '\n  a: b', () => `\n  a: ${value()}`])();
    }
    return pick([value, value, FLOW, EMPTY, () => 'Read, Grep', () => 'Read,Grep,', () => list(item, '[', ']')])();
};

// A fault changes the lines of the front matter; each line is a key with its whole value.
const FAULTS = [
    (lines, at) => (lines[at] = lines[at].replace(/[\]}"']$/, '')),
    (lines, at) => (lines[at] += pick([']', '}', '"', "'", ',', ' #', ':', ' x: y', ', z'])),
    (lines, at) => (lines[at] = lines[at].replace(': ', pick([':', ' : ', ':\t', ':  ']))),
    (lines, at) => lines.splice(at, 0, pick(['stray', ', stray', '- stray', '[stray]', '# note', ''])),
    (lines, at) => (lines[at] = `${pick([' ', '\t'])}${lines[at]}`),
    (lines, at) => lines.push(lines[at]),
    (lines, at) => (lines[at] = lines[at].replaceAll('\n  ', pick(['\n\t', '\n ', '\n', '\n    ']))),
    (lines, at) => (lines[at] = lines[at].replace(/, ?/, pick([',,', ' ', ': ', ', , ']))),
    (lines, at) => (lines[at] = lines[at].replace(': ', pick([': @', ': `', ': %', ': *', ': &', ': !', ': - ']))),
    (lines, at) => (lines[at] = lines[at].replace(/: (.*)/, ': "$1" then')),
    (lines) => lines.push('broken: [a, b', 'license: MIT'),
    (lines) => lines.push('hint: [a] [b]'),
    (lines) => lines.push('hint: [a], b'),
    (lines) => lines.push('tools: Bash(git: *), Read'),
];

function file(directory) {
    const kinds = ['x, y', 'quoted', 'c1', 'none', ...(chance(0.3) ? ['empty'] : [])];
    const name = chance(0.65) ? '' : pick(kinds);
    const names = {
        '': [`name: ${directory}`],
        'x, y': [`name: ${directory}, more`],
        quoted: [`name: "${directory}"`],
        c1: [`name: ${directory}${pick(C1)}`],
        none: [],
        empty: ['name:'],
    };
    const lines = [...names[name]];
    if (chance(0.97)) lines.push(`description: ${description()}`.replace(/ +$/, ''));
    for (const key of OTHERS) {
        if (chance(0.25)) lines.push(`${key}: ${other(key)}`.replace(/ +(\n|$)/, '$1'));
    }
    if (chance(0.3)) shuffle(lines);
    const faults = pick([0, 0, 0, 1, 1, 2]);
    for (let done = 0; done < faults && lines.length > 0; done += 1) {
        pick(FAULTS)(lines, Math.floor(random() * lines.length));
        // A colon in a name could not be told from the one that follows the name in a listing.
        lines.forEach((line, at) => {
            if (line.startsWith('name: ')) lines[at] = `name: ${line.slice(6).replaceAll(': ', ':')}`;
        });
    }
    const body = pick(['# Heading\n\nBody text.\n', 'Body, first.\n\n# Later\n', '\n\n## Sub\ntext\n', '']);
    const text = `---\n${lines.join('\n')}\n---\n${body}`;
    const ending = pick(['\n', '\n', '\r\n', '\r\n', 'mixed', 'but-first']);
    if (ending === 'mixed') return text.replace(/\n/g, () => pick(['\n', '\r\n']));
    if (ending === 'but-first') return text.replace(/\n/g, '\r\n').replace('\r\n', '\n');
    return text.replaceAll('\n', ending);
}

const width = String(count).length;
const cases = Array.from({ length: Number(count) }, (_, at) => {
    const directory = `${prefix}${String(at + 1).padStart(width, '0')}`;
    return { directory, text: file(directory) };
});
process.stdout.write(written(cases));
