// Checks that every dependency has a license that allows us to distribute it. Reads `pnpm licenses list --json` from stdin.
import { json } from 'node:stream/consumers';

/** Licenses that only require us to keep their text. */
const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Python-2.0',
  'Unlicense',
  'WTFPL',
]);

/** Tools that we use but do not distribute: changes to their own files would have to be published. */
const TOOLS = new Map([
  ['@axe-core/playwright', 'MPL-2.0'],
  ['@cspell/dict-en-common-misspellings', 'CC BY-SA 4.0'],
  ['axe-core', 'MPL-2.0'],
  ['lightningcss', 'MPL-2.0'],
]);

/** Platform packages such as `lightningcss-linux-x64-gnu` have the license of their tool. */
const toolOf = (name) => name.replace(/-(android|darwin|freebsd|linux|win32)-.*$/, '');

const isAllowed = (license, name) =>
  license
    .replace(/^\(|\)$/g, '')
    .split(' OR ')
    .some((one) => ALLOWED.has(one)) || TOOLS.get(toolOf(name)) === license;

const packages = Object.entries(await json(process.stdin)).flatMap(([license, list]) =>
  list.map(({ name }) => ({ license, name })),
);
if (packages.length === 0) throw new Error('The list of licenses is empty.');
const refused = packages.filter(({ license, name }) => !isAllowed(license, name));
for (const { license, name } of refused)
  process.stderr.write(`${name}: the license ${license} is not in the allow-list\n`);
process.exitCode = refused.length > 0 ? 1 : 0;
