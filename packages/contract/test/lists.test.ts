import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { list, MAX_INVALID_ELEMENTS } from '../src/lists.ts';

/** Creates a list schema that counts how many times its elements are validated. */
function countCalls(check: (value: unknown) => boolean) {
  const validated = { count: 0 };
  const element = z.unknown().refine((value) => {
    validated.count += 1;
    return check(value);
  }, 'must be right');
  return { validated, schema: list(element) };
}

const emptyObjects = (length: number) => Array.from({ length }, () => ({}));

describe('S1: a list in an input', () => {
  it('accepts the same lists as an array of its elements', () => {
    const schema = list(z.object({ a: z.string() }));
    expect(schema.parse([{ a: '1', b: 2 }, { a: '' }])).toEqual([{ a: '1' }, { a: '' }]);
    expect(schema.parse([])).toEqual([]);
    expect(schema.safeParse('text').error!.issues).toMatchObject([{ code: 'invalid_type', path: [] }]);
    expect(schema.safeParse([{ a: '1' }, { a: 2 }]).error!.issues).toMatchObject([{ path: [1, 'a'] }]);
  });

  it('stops its validation after the first few invalid elements', () => {
    const { validated, schema } = countCalls(() => false);
    expect(schema.safeParse(emptyObjects(500_000)).error!.issues).toHaveLength(MAX_INVALID_ELEMENTS);
    expect(validated.count).toBe(MAX_INVALID_ELEMENTS);
  });

  it('refuses a list that is too long before it validates the elements', () => {
    const { validated, schema } = countCalls(() => false);
    const { issues } = schema.max(3, 'at most three').safeParse(emptyObjects(4)).error!;
    expect(issues).toMatchObject([{ code: 'too_big', message: 'at most three' }]);
    expect(validated.count).toBe(0);
    expect(
      countCalls(() => true)
        .schema.max(3)
        .parse(emptyObjects(3)),
    ).toHaveLength(3);
  });

  it('keeps its maximum length when checks are added to the schema', () => {
    const { validated, schema } = countCalls(() => false);
    const limitedSchema = z.object({ all: schema.max(3).describe('All.').optional() });
    expect(limitedSchema.safeParse({ all: emptyObjects(4) }).error!.issues).toHaveLength(1);
    expect(validated.count).toBe(0);
  });

  it('has its maximum length in its JSON schema', () => {
    expect(z.toJSONSchema(list(z.string()).min(1).max(3), { io: 'input' })).toMatchObject({
      type: 'array',
      items: { type: 'string' },
      minItems: 1,
      maxItems: 3,
    });
  });
});
