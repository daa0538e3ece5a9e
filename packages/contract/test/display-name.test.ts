import { describe, expect, it } from 'vitest';
import { AccountPatch, PersonName } from '../src/index.ts';

describe.each([
  ['an account', AccountPatch],
  ['a person', PersonName],
])('the name of %s (api §13)', (_, schema) => {
  it.each([
    [' Ada Lovelace ', 'Ada Lovelace'],
    ['Zoë, 山田', 'Zoë, 山田'],
    [null, null],
  ])('%j becomes %j', (name, expected) => expect(schema.parse({ name })).toEqual({ name: expected }));

  it.each(['', ' ', 'x'.repeat(101), 'Ada\nOwner', 'Ada\u202Ex', 'Ada\u2066x', '\u200Fx', '\ud800', 'Ada \udc00'])(
    '%j is refused',
    (name) => expect(schema.safeParse({ name }).success).toBe(false),
  );
});
