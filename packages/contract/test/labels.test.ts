import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Labels, MAX_LABELS } from '../src/labels.ts';

const labelsOf = (count: number) => Array.from({ length: count }, (_, i) => `label-${i}`);

describe('api §1: the labels field', () => {
  it.each(['abc', 'us-east-1', 'v1.2.3', 'a_b-c.d', '123', 'null', 'a'.repeat(25)])('accepts the label %s', (label) => {
    expect(Labels.parse([label])).toEqual([label]);
  });

  it.each([
    ['the wrong length', ['', 'ab', 'a'.repeat(26)]],
    ['marks at the ends, or two in a row', ['-abc', 'abc-', '.abc', 'a..b', 'a-_b']],
    ['other characters', ['Abc', 'a b', 'äöü', 'abc\n', 'abc\u0000', 'a,b', 'a"b', '<b>', '\u212ab-c']],
  ])('refuses labels with %s, such as each of %j', (_, labels) => {
    for (const label of labels) expect(Labels.safeParse([label]).success, label).toBe(false);
  });

  it('refuses anything but a list of texts', () => {
    for (const value of [null, undefined, 'abc', { 0: 'abc' }, [1], [null], [['abc']]])
      expect(Labels.safeParse(value).success, JSON.stringify(value)).toBe(false);
  });

  it('removes duplicates, keeps the order, and counts only the remaining labels', () => {
    expect(Labels.parse(['bbb', 'aaa', 'bbb', 'ccc', 'aaa'])).toEqual(['bbb', 'aaa', 'ccc']);
    expect(Labels.parse([...labelsOf(MAX_LABELS), 'label-0'])).toEqual(labelsOf(MAX_LABELS));
    expect(Labels.parse([])).toEqual([]);
  });

  it(`refuses more than ${MAX_LABELS} labels, and names the maximum`, () => {
    for (const count of [MAX_LABELS + 1, 101])
      expect(Labels.safeParse(labelsOf(count)).error?.issues[0]?.message).toBe(
        'a resource must have at most 10 labels',
      );
  });

  /** Whether a text is a label by the rule of the contract: groups of letters and digits, joined by single marks. */
  function isLabel(text: string): boolean {
    if (text.length < 3 || text.length > 25) return false;
    const isLetter = (at: number) => 'abcdefghijklmnopqrstuvwxyz0123456789'.includes(text.charAt(at) || ' ');
    return Array.from(text, (_, at) => at).every(
      (at) => isLetter(at) || ('._-'.includes(text[at]!) && isLetter(at - 1) && isLetter(at + 1)),
    );
  }
  const nearLabel = fc.string({ unit: fc.constantFrom(...'aaabbz09._-'), minLength: 1, maxLength: 28 });
  const anyText = fc.oneof(
    nearLabel,
    nearLabel,
    fc.string({ unit: 'grapheme', maxLength: 30 }),
    fc.string({ maxLength: 30 }),
  );

  it('accepts exactly the labels that the rule of the contract allows', () => {
    let labels = 0;
    fc.assert(
      fc.property(anyText, (text) => {
        expect(Labels.safeParse([text]).success).toBe(isLabel(text));
        if (isLabel(text)) labels += 1;
      }),
      { numRuns: 1_000 },
    );
    expect(labels).toBeGreaterThan(30);
  });

  it('refuses an invalid list as a whole, keeps each label of a valid list once, and leaves the result unchanged when parsed again', () => {
    const label = fc.constantFrom('one', 'two', 'v1.2', 'us-east-1', 'NO', 'a'.repeat(25), ...labelsOf(9));
    fc.assert(
      fc.property(fc.array(label, { maxLength: 20 }), (list) => {
        const distinct = list.filter((each, at) => list.indexOf(each) === at);
        const result = Labels.safeParse(list);
        expect(result.success).toBe(distinct.length <= MAX_LABELS && distinct.every(isLabel));
        if (!result.success) return;
        expect(result.data).toEqual(distinct);
        expect(Labels.parse(result.data)).toEqual(distinct);
      }),
      { numRuns: 1_000 },
    );
  });

  it('validates a long label in linear time', () => {
    const label = fc.string({ unit: fc.constantFrom('a', '-', '.'), minLength: 10_000, maxLength: 10_000 });
    fc.assert(
      fc.property(label, (text) => !Labels.safeParse([text]).success),
      { numRuns: 20 },
    );
  });
});
