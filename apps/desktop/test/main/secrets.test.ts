import { expect, it } from 'vitest';
import { z } from 'zod';
import { commands, events } from '../../src/shared/contract.ts';

/** Where a schema has a field for something secret: a key, a password, a token. Whether there is a password is none. */
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

it('finds what it is looking for', () => {
  const schema = z.object({
    list: z.array(z.union([z.object({ apiKey: z.string() }), z.object({ ok: z.boolean() })])),
  });
  expect(secretsOf(schema)).toHaveLength(1);
  expect(secretsOf(z.object({ password: z.string().nullable() }))).toHaveLength(1);
  expect(secretsOf(z.object({ password: z.boolean() }))).toStrictEqual([]);
  expect(secretsOf(commands.signIn.input)).toHaveLength(1);
});

/** Where keys are kept is no key, and an activity names a token by its identifier. */
const ALLOWED = /\.keysKept$|\.Activity\.properties\.token$/;

it.for(Object.entries(commands))(
  'has no field for a key or a password in what %s gives the page (security T40)',
  ([, { output }]) => {
    expect(secretsOf(output).filter((field) => !ALLOWED.test(field))).toStrictEqual([]);
  },
);

it.for(Object.entries(events))(
  'has no field for a key or a password in what it tells by %s (security T40)',
  ([, schema]) => {
    expect(secretsOf(schema).filter((field) => !ALLOWED.test(field))).toStrictEqual([]);
  },
);
