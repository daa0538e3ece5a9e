import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../../../..');
/** Names of functions whose last argument is an error message. */
const REFUSALS = new Set(
  'invalid invalidBody invalidFile invalidName malformedBody refuse refusedName refusedPath'.split(' '),
);
/** Names of schema methods whose last argument is an error message. */
const ZOD_CHECKS = new Set(['min', 'max', 'length', 'regex', 'refine', 'int', 'enum', 'string']);
/** Matches messages that read as if the input were valid, such as "labels: is a JSON array of strings". */
const VALID_WORDING =
  /^(?!this )(?:(?:an? |the )?[\w -]{0,30}\b(?:is (?:an? |\d|sent|one of|true or)|has (?:at |\d|an? )|holds |carries |names one|stands once))/;

interface Call {
  callee: { type: string; name?: string; property?: { name?: string } };
  arguments: { type: string; value?: unknown; quasis?: { value: { cooked: string } }[] }[];
  start: number;
}

function messagesOf(file: string): [place: string, message: string][] {
  const text = readFileSync(resolve(ROOT, file), 'utf8');
  const messages: [string, string][] = [];
  new Visitor({
    CallExpression(node) {
      const { callee, arguments: callArguments, start } = node as unknown as Call;
      const isRefusal =
        callee.type === 'Identifier' ? REFUSALS.has(callee.name ?? '') : ZOD_CHECKS.has(callee.property?.name ?? '');
      const argument = callArguments.at(-1);
      if (!isRefusal || !argument) return;
      const message =
        argument.type === 'TemplateLiteral'
          ? argument.quasis!.map(({ value }) => value.cooked).join('…')
          : argument.value;
      if (typeof message === 'string') messages.push([`${file}:${text.slice(0, start).split('\n').length}`, message]);
    },
  }).visit(parseSync(file, text).program);
  return messages;
}

const messages = globSync('{apps/api,packages/core,packages/contract,packages/serving}/src/**/*.ts', {
  cwd: ROOT,
}).flatMap(messagesOf);

it('house B6: no error message reads as if the input were valid', () => {
  expect(messages.length).toBeGreaterThan(80);
  expect(messages.filter(([, message]) => VALID_WORDING.test(message))).toEqual([]);
});

it.each([
  'is a JSON array of strings, such as ["…"]',
  'is an e-mail address: "name@host"',
  'is 32 lower-case hex digits, or a URL',
  'names one boundary of 1 to 70 characters',
  'a label has at least 3 characters',
])('house B6: the check of error messages objects to "%s"', (message) => expect(message).toMatch(VALID_WORDING));
