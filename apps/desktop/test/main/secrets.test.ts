import { expect, it } from 'vitest';
import { z } from 'zod';
import { commands, events } from '../../src/shared/contract.ts';

/** The fields of a schema that can contain a secret: a key, a password or a token. A boolean is not a secret. */
function secretsOf(schema: z.ZodType): string[] {
  const foundSecrets: string[] = [];
  const seenNodes = new Set<unknown>();
  const searchNode = (node: unknown, at: string) => {
    if (typeof node !== 'object' || node === null || seenNodes.has(node)) return;
    seenNodes.add(node);
    for (const [name, value] of Object.entries(node)) {
      const isField = at.endsWith('.properties');
      if (
        isField &&
        /key|secret|password|token|credential/i.test(name) &&
        (value as { type?: unknown }).type !== 'boolean'
      )
        foundSecrets.push(`${at}.${name}`);
      searchNode(value, `${at}.${name}`);
    }
  };
  searchNode(z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' }), '');
  return foundSecrets;
}

it('secretsOf finds the fields with secrets in a schema', () => {
  const schema = z.object({
    list: z.array(z.union([z.object({ apiKey: z.string() }), z.object({ ok: z.boolean() })])),
  });
  expect(secretsOf(schema)).toHaveLength(1);
  expect(secretsOf(z.object({ password: z.string().nullable() }))).toHaveLength(1);
  expect(secretsOf(z.object({ password: z.boolean() }))).toStrictEqual([]);
  expect(secretsOf(commands.signIn.input)).toHaveLength(1);
});

/** The fields that contain no secret: `keysKept` names a place, and the token of an activity, a deployment or a version is an id. */
const ALLOWED_FIELDS =
  /\.keysKept$|\.(?:Activity|Deployment|DomainVersion)\.properties\.(?:published\.anyOf\.0\.properties\.)?token$/;

it.for(Object.entries(commands))(
  'the output of the command %s has no field for a key or a password (T40)',
  ([, { output }]) => {
    expect(secretsOf(output).filter((field) => !ALLOWED_FIELDS.test(field))).toStrictEqual([]);
  },
);

it.for(Object.entries(events))('the data of the event %s has no field for a key or a password (T40)', ([, schema]) => {
  expect(secretsOf(schema).filter((field) => !ALLOWED_FIELDS.test(field))).toStrictEqual([]);
});
