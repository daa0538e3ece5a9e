import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Labels, MAX_LABELS } from '../src/labels.ts';

const many = (count: number) => Array.from({ length: count }, (_, i) => `label-${i}`);

describe('contract §1: labels', () => {
  it.each([['abc'], ['us-east-1'], ['v1.2.3'], ['a_b-c.d'], ['123'], ['null'], ['a'.repeat(25)]])(
    '%s is a label',
    (label) => {
      expect(Labels.parse([label])).toEqual([label]);
    },
  );

  it.each([
    [''],
    ['ab'],
    ['a'.repeat(26)],
    ['Abc'],
    ['a b'],
    ['-abc'],
    ['abc-'],
    ['.abc'],
    ['a..b'],
    ['a-_b'],
    ['äöü'],
    ['abc\n'],
    ['abc\u0000'],
    ['a,b'],
    ['a"b'],
    ['<b>'],
    ['\u212ab-c'],
  ])('%j is none', (label) => {
    expect(Labels.safeParse([label]).success).toBe(false);
  });

  it.each([[null], ['abc'], [{ 0: 'abc' }], [[1]], [[null]], [[['abc']]], [undefined]])(
    '%j is no list of labels',
    (value) => {
      expect(Labels.safeParse(value).success).toBe(false);
    },
  );

  it('folds duplicates, keeps order, and counts after folding', () => {
    expect(Labels.parse(['bbb', 'aaa', 'bbb', 'ccc', 'aaa'])).toEqual(['bbb', 'aaa', 'ccc']);
    expect(Labels.parse([...many(MAX_LABELS), 'label-0'])).toEqual(many(MAX_LABELS));
    expect(Labels.parse([])).toEqual([]);
  });

  it(`refuses more than ${MAX_LABELS}, saying so`, () => {
    expect(Labels.safeParse(many(MAX_LABELS + 1)).error?.issues[0]?.message).toBe(
      'a resource carries at most 10 labels',
    );
    expect(Labels.safeParse(many(101)).error?.issues[0]?.message).toBe('a resource carries at most 10 labels');
  });

  it('decides in linear time', () => {
    const label = fc.string({ unit: fc.constantFrom('a', '-', '.'), minLength: 10_000, maxLength: 10_000 });
    fc.assert(
      fc.property(label, (text) => !Labels.safeParse([text]).success),
      { numRuns: 20 },
    );
  });
});
