import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { describe, expect, it } from 'vitest';
import { ERRORS } from '../../src/api-host/openapi-errors.ts';

const ROOT = resolve(import.meta.dirname, '../../../..');
/** The file of the examples; its texts do not count as texts that the server sends. */
const EXAMPLES = 'apps/api/src/api-host/openapi-errors.ts';

/** A template with fewer fixed characters would match almost any message. */
const MIN_FIXED = 15;

/** The string literals of the server's sources; the fixed parts of templates. */
function textsOf(file: string): string[][] {
  const texts: string[][] = [];
  new Visitor({
    Literal: ({ value }) => void (typeof value === 'string' && texts.push([value])),
    TemplateLiteral: ({ quasis }) => void texts.push(quasis.map(({ value }) => value.cooked ?? '')),
  }).visit(parseSync(file, readFileSync(resolve(ROOT, file), 'utf8')).program);
  return texts;
}

const texts = globSync('{apps/api,packages/core,packages/contract,packages/serving}/src/**/*.ts', { cwd: ROOT })
  .filter((file) => file !== EXAMPLES)
  .flatMap(textsOf);

/** Whether a message is one of these texts. Only where a template has a value may it differ. */
function isSaid(message: string): boolean {
  return texts.some((parts) => {
    const fixed = parts.join('').length;
    if (fixed < MIN_FIXED || !message.startsWith(parts[0]!) || !message.endsWith(parts.at(-1)!)) return false;
    let at = 0;
    for (const part of parts) {
      const found = message.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return parts.length > 1 || message.length === fixed;
  });
}

const examples = Object.entries(ERRORS).flatMap(([, { examples: titled }]) =>
  Object.entries(titled).map(([title, { message }]) => [title, message] as const),
);

describe('house B7: the server sends the documented errors', () => {
  it.each(examples)('%s: %s', (_title, message) => {
    // A message about a field or a file begins with its name.
    const reason = message.replace(/^[\w./-]+: /, '');
    const candidates = [message, reason, reason.replace(/\.$/, '')];
    expect(candidates.some(isSaid)).toBe(true);
  });

  it('finds a message that the server never sends', () => {
    expect(isSaid('a file may have at most 20971520 bytes.')).toBe(false);
    expect(isSaid('The body did not arrive in time.')).toBe(true);
    expect(isSaid('The body did not arrive in time')).toBe(false);
  });
});
