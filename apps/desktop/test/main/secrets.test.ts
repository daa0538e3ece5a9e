import { expect, it } from 'vitest';
import { z } from 'zod';
import { commands, events } from '../../src/shared/contract.ts';

/** The fields of a schema that can contain a secret: a key, password or token. A boolean is not a secret. */
function secretsOf(schema: z.ZodType): string[] {
  const found: string[] = [];
  const seen = new Set<unknown>();
  const walk = (node: unknown, at: string) => {
    if (typeof node !== 'object' || node === null || seen.has(node)) return;
    seen.add(node);
    for (const [name, value] of Object.entries(node)) {
      const isField = at.endsWith('.properties');
      if (
        isField &&
        /key|secret|password|token|credential/i.test(name) &&
        (value as { type?: unknown }).type !== 'boolean'
      )
        found.push(`${at}.${name}`);
      walk(value, `${at}.${name}`);
    }
  };
  walk(z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' }), '');
  return found;
}

it('finds fields with secrets in a schema', () => {
  const schema = z.object({
    list: z.array(z.union([z.object({ apiKey: z.string() }), z.object({ ok: z.boolean() })])),
  });
  expect(secretsOf(schema)).toHaveLength(1);
  expect(secretsOf(z.object({ password: z.string().nullable() }))).toHaveLength(1);
  expect(secretsOf(z.object({ password: z.boolean() }))).toStrictEqual([]);
  expect(secretsOf(commands.signIn.input)).toHaveLength(1);
});

/** Fields without secrets: `keysKept` is only a place, and the token of an activity is only an id. */
const ALLOWED = /\.keysKept$|\.Activity\.properties\.token$/;

it.for(Object.entries(commands))(
  'the output of the command %s has no field for a key or a password (T40)',
  ([, { output }]) => {
    expect(secretsOf(output).filter((field) => !ALLOWED.test(field))).toStrictEqual([]);
  },
);

it.for(Object.entries(events))('the data of the event %s has no field for a key or a password (T40)', ([, schema]) => {
  expect(secretsOf(schema).filter((field) => !ALLOWED.test(field))).toStrictEqual([]);
});
