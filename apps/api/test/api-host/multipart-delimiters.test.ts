import { field, multipart } from '@berth/testing/multipart';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { followDelimiters, readBoundary } from '../../src/api-host/multipart-delimiters.ts';

/** Pushes a body in pieces that are cut at these places. */
function count(body: Buffer, cuts: readonly number[], boundary: string): number {
  const delimiters = followDelimiters(boundary);
  const places = [0, ...cuts.map((cut) => cut % (body.length + 1)).toSorted((a, b) => a - b), body.length];
  for (const [i, end] of places.slice(1).entries()) delimiters.push(body.subarray(places[i], end));
  return delimiters.parts();
}

describe('F3: counts parts by their delimiters', () => {
  // A line that begins with the boundary is a delimiter, also at the very start of a value.
  const nearBoundary = fc
    .string({ unit: fc.constantFrom('\r', '\n', '-', 'b', 'x', '\r\n--b'), maxLength: 12 })
    .filter((value) => !`\r\n${value}`.includes('\r\n--bxb'));
  const cuts = fc.array(fc.nat(2_000), { maxLength: 30 });

  it('wherever the body is cut', () => {
    fc.assert(
      fc.property(fc.array(nearBoundary, { maxLength: 6 }), cuts, (values, cuts) => {
        const { body } = multipart(
          values.map((value) => field('a', value)),
          { boundary: 'bxb' },
        );
        expect(count(body, cuts, 'bxb')).toBe(values.length);
      }),
      { numRuns: 1_000 },
    );
  });

  it('in pieces of one byte', () => {
    const { body } = multipart([field('a', ''), field('b', '\r\n--bx'), field('c', '')], { boundary: 'bxb' });
    expect(count(body, body.keys().toArray(), 'bxb')).toBe(3);
  });

  it.each([
    ['text before the first one', 'x\r\n--b\r\n\r\n\r\n--b--'],
    ['a line end before the first one', '\r\n--b\r\n\r\n\r\n--b--'],
    ['text after the last one', '--b\r\n\r\n\r\n--b--\r\nx'],
    ['a boundary line with more text on it', '--b \r\n\r\n\r\n--b--'],
    ['an invalid closing boundary', '--b\r\n\r\n\r\n--b-x'],
  ])('%s is refused, wherever it is cut', (_, text) => {
    fc.assert(
      fc.property(cuts, (cuts) => {
        expect(() => count(Buffer.from(text), cuts, 'b')).toThrow(/multipart/);
      }),
    );
  });
});

describe('RFC 2046 §5.1.1: the boundary', () => {
  it.each([
    ['multipart/form-data; boundary=x', 'x'],
    ['multipart/form-data;boundary=x', 'x'],
    ['MULTIPART/FORM-DATA ; Boundary=X ', 'X'],
    ['multipart/form-data; boundary="a b"', 'a b'],
    ['multipart/form-data; charset="utf-8"; boundary=x', 'x'],
    [`multipart/form-data; boundary=${'x'.repeat(70)}`, 'x'.repeat(70)],
  ])('%s', (type, boundary) => {
    expect(readBoundary(type)).toBe(boundary);
  });

  it.each([
    ['', /multipart/],
    ['text/plain; boundary=x', /multipart/],
    ['multipart/mixed; boundary=x', /multipart/],
    ['multipart/form-data', /boundary/],
    ['multipart/form-datax; boundary=x', /boundary/],
    ['multipart/form-data boundary=x', /boundary/],
    ['multipart/form-data; boundary', /boundary/],
    ['multipart/form-data; boundary=', /boundary/],
    ['multipart/form-data; boundary=""', /boundary/],
    ['multipart/form-data; boundary="x', /boundary/],
    ['multipart/form-data; boundary="x\\""', /boundary/],
    ['multipart/form-data; boundary="x "', /boundary/],
    ['multipart/form-data; boundary="é"', /boundary/],
    ['multipart/form-data; boundary=x;', /boundary/],
    ['multipart/form-data; boundary=x, y', /boundary/],
    ['multipart/form-data; boundary=x; boundary=y', /boundary/],
    [`multipart/form-data; boundary=${'x'.repeat(71)}`, /boundary/],
    [`multipart/form-data; ${'boundary'.repeat(2_000)}`, /boundary/],
  ])('%.60s is refused', (type, why) => {
    expect(() => readBoundary(type)).toThrow(why);
  });
});
