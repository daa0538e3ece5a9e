import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../../../..');
/** Functions whose last argument says what is wrong with an input. */
const REFUSALS = new Set(['invalid', 'invalidFile', 'malformed', 'refuse', 'wrong', 'none']);
/** Methods of schemas whose last argument says so. */
const CHECKS = new Set(['min', 'max', 'length', 'regex', 'refine', 'int', 'enum', 'string']);
/** A message of this form reads as if the input were valid: "labels: is a JSON array of strings". */
const STATES_THE_RULE =
  /^(?!this )(?:(?:an? |the )?[\w -]{0,30}\b(?:is (?:an? |\d|sent|one of|true or)|has (?:at |\d|an? )|holds |carries |names one|stands once))/;

interface Call {
  callee: { type: string; name?: string; property?: { name?: string } };
  arguments: { type: string; value?: unknown; quasis?: { value: { cooked: string } }[] }[];
  start: number;
}

function messagesOf(file: string): [place: string, message: string][] {
  const text = readFileSync(resolve(ROOT, file), 'utf8');
  const found: [string, string][] = [];
  new Visitor({
    CallExpression(node) {
      const { callee, arguments: given, start } = node as unknown as Call;
      const isRefusal =
        callee.type === 'Identifier' ? REFUSALS.has(callee.name ?? '') : CHECKS.has(callee.property?.name ?? '');
      const last = given.at(-1);
      if (!isRefusal || !last) return;
      const message =
        last.type === 'TemplateLiteral' ? last.quasis!.map(({ value }) => value.cooked).join('…') : last.value;
      if (typeof message === 'string') found.push([`${file}:${text.slice(0, start).split('\n').length}`, message]);
    },
  }).visit(parseSync(file, text).program);
  return found;
}

const messages = globSync('{apps/api,packages/core,packages/contract,packages/serving}/src/**/*.ts', {
  cwd: ROOT,
}).flatMap(messagesOf);

it('house B6: error messages say what must be true', () => {
  expect(messages.length).toBeGreaterThan(80);
  expect(messages.filter(([, message]) => STATES_THE_RULE.test(message))).toEqual([]);
});

it.each([
  'is a JSON array of strings, such as ["…"]',
  'is an e-mail address: "name@host"',
  'is 32 lower-case hex digits, or a URL',
  'names one boundary of 1 to 70 characters',
  'a label has at least 3 characters',
])('house B6: the check finds the message %s', (message) => expect(message).toMatch(STATES_THE_RULE));
