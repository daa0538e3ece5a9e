import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { meterJson, parseBoundedJson } from '../src/bounded-json.ts';

const BOUNDS = { maxBytes: 1_000, maxDepth: 3, maxValues: 5 };
const parseText = (text: string) => parseBoundedJson(text, 'The text', BOUNDS);
const refusal = (code: string, message: string) => expect.objectContaining({ code, message });

/** Returns the number of values in a value, including the value itself. */
function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((sum: number, member) => sum + countValues(member), 1);
}

describe('T23: parseBoundedJson', () => {
  it.each([
    '1',
    '[[["deep"]]]',
    '[1,2,3,4]',
    '{"a":1,"b":[2]}',
    '"[[[[{{{{,,,,,,,,"',
    String.raw`["\"[[[[,,,,,,,,\\"]`,
  ])('parses %s', (text) => expect(parseText(text)).toEqual(JSON.parse(text)));

  it.each(['[[[[]]]]', '{"a":{"a":{"a":{}}}}', '[[[['])('refuses %s, which is nested too deeply', (text) => {
    expect(() => parseText(text)).toThrow(
      refusal('validation_failed', 'The text must be nested at most 3 levels deep.'),
    );
  });

  it.each(['[1,2,3,4,5,6]', '[[],[],[],[],[]]', '{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6}', ',,,,,,'])(
    'refuses %s, which has too many values',
    (text) => {
      expect(() => parseText(text)).toThrow(refusal('payload_too_large', 'The text must have at most 5 JSON values.'));
    },
  );

  it.each(['', '{', '[1,]', 'undefined'])('refuses %s, which is malformed', (text) => {
    expect(() => parseText(text)).toThrow(refusal('validation_failed', 'The text must be valid JSON.'));
  });

  it('counts every value at least once, however the text is cut into pieces', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 1, max: 7 }), (value, size) => {
        const bytes = Buffer.from(JSON.stringify(value));
        const countInChunks = (maxValues: number) => {
          const meter = meterJson('It', { maxBytes: 0, maxDepth: 99, maxValues });
          for (let at = 0; at < bytes.length; at += size) meter(bytes.subarray(at, at + size));
        };
        const count = countValues(value);
        // An empty list or object counts as a list or object with one member.
        countInChunks(2 * count);
        expect(() => countInChunks(count - 1)).toThrow();
      }),
    );
  });
});
