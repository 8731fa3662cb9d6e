// Compares the skills that an agent showed its model with those that `skills list` says it loads.
//
//   node compare.mjs AGENT LOG LIST OURS
//
// LOG is what fake-api.mjs wrote, LIST the JSON of `skills list`. Agents bring skills of their own,
// which count only where LIST has them, too; the names of all others match the pattern OURS. Prints
// the names, or the difference and ends with 1.

import { readFileSync } from 'node:fs';

import { shown as shownBy } from './listing.mjs';

const [agent, log, list, ours] = process.argv.slice(2);

const isActive = ({ status }) => status === 'active';
const listed = JSON.parse(readFileSync(list, 'utf8')).skills.filter(isActive);
const known = new Set(listed.map(({ name }) => name));
const isOurs = ({ name }) => known.has(name) || new RegExp(ours).test(name);
const shown = shownBy(agent, log)?.filter(isOurs);

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
