import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../../..');
const sourcesOf = (pattern: string) =>
  globSync(pattern, { cwd: ROOT }).map((path) => readFileSync(join(ROOT, path), 'utf8'));

/** A quoted text of a source. Group 2 is the text. */
const LITERAL = /(['"`])((?:\\.|(?!\1)[^\n\\])*)\1/g;

/** Returns the texts of a source as patterns, in which a `${…}` stands for any text. */
function patternsOf(source: string): RegExp[] {
  return [...source.matchAll(LITERAL)]
    .map(([, , text]) => text!.replaceAll(/\\(.)/g, '$1'))
    .filter((text) => text.replaceAll(/\$\{[^}]*\}/g, '').trim().length > 12)
    .map((text) => {
      const parts = text.split(/\$\{[^}]*\}/).map((part) => RegExp.escape(part));
      return new RegExp(`^${parts.join('.+')}$`);
    });
}

it('the messages that the gallery shows are messages of the app or the server (G7)', () => {
  const gallery = sourcesOf('apps/desktop/test/harness/gallery/*-states.ts').join('\n');
  const messages = [...gallery.matchAll(/(?:problem\(\s*'[^']*',\s*|message: )(['"])((?:(?!\1)[^\n])+)\1/g)].map(
    ([, , message]) => message!,
  );
  const patterns = sourcesOf('{apps/{desktop,api},packages/{client,contract,core,serving}}/src/**/*.ts').flatMap(
    patternsOf,
  );
  const isReal = (message: string) => patterns.some((pattern) => pattern.test(message));
  expect(messages.length).toBeGreaterThan(8);
  expect(messages.filter((message) => !isReal(message))).toEqual([]);
});
