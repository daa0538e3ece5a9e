import { field, multipart } from '@berth/testing/multipart';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { followDelimiters, readBoundary } from '../../src/api-host/multipart-delimiters.ts';

function countParts(body: Buffer, cuts: readonly number[], boundary: string): number {
  const delimiters = followDelimiters(boundary);
  const positions = [0, ...cuts.map((cut) => cut % (body.length + 1)).toSorted((a, b) => a - b), body.length];
  for (const [i, end] of positions.slice(1).entries()) delimiters.push(body.subarray(positions[i], end));
  return delimiters.parts();
}

describe('F3: the parts of a multipart body', () => {
  // A line that begins with the boundary is a delimiter, even at the start of a value.
  const almostBoundary = fc
    .string({ unit: fc.constantFrom('\r', '\n', '-', 'b', 'x', '\r\n--b'), maxLength: 12 })
    .filter((value) => !`\r\n${value}`.includes('\r\n--bxb'));
  const cuts = fc.array(fc.nat(2_000), { maxLength: 30 });

  it('are counted correctly wherever the body is cut', () => {
    fc.assert(
      fc.property(fc.array(almostBoundary, { maxLength: 6 }), cuts, (values, cuts) => {
        const { body } = multipart(
          values.map((value) => field('a', value)),
          { boundary: 'bxb' },
        );
        expect(countParts(body, cuts, 'bxb')).toBe(values.length);
      }),
      { numRuns: 1_000 },
    );
  });

  it('are counted correctly in a body that arrives byte by byte', () => {
    const { body } = multipart([field('a', ''), field('b', '\r\n--bx'), field('c', '')], { boundary: 'bxb' });
    expect(countParts(body, body.keys().toArray(), 'bxb')).toBe(3);
  });

  it.each([
    ['text before the first delimiter', 'x\r\n--b\r\n\r\n\r\n--b--'],
    ['a line break before the first delimiter', '\r\n--b\r\n\r\n\r\n--b--'],
    ['text after the last delimiter', '--b\r\n\r\n\r\n--b--\r\nx'],
    ['a space after a boundary', '--b \r\n\r\n\r\n--b--'],
    ['an invalid closing delimiter', '--b\r\n\r\n\r\n--b-x'],
  ])('are refused if the body has %s, wherever the body is cut', (_, text) => {
    fc.assert(
      fc.property(cuts, (cuts) => {
        expect(() => countParts(Buffer.from(text), cuts, 'b')).toThrow(/multipart/);
      }),
    );
  });
});

describe('RFC 2046 §5.1.1: the multipart boundary', () => {
  it.each([
    ['multipart/form-data; boundary=x', 'x'],
    ['multipart/form-data;boundary=x', 'x'],
    ['MULTIPART/FORM-DATA ; Boundary=X ', 'X'],
    ['multipart/form-data; boundary="a b"', 'a b'],
    ['multipart/form-data; charset="utf-8"; boundary=x', 'x'],
    [`multipart/form-data; boundary=${'x'.repeat(70)}`, 'x'.repeat(70)],
  ])('is read from the Content-Type %s', (type, boundary) => {
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
  ])('cannot be read from the invalid Content-Type %.60s', (type, message) => {
    expect(() => readBoundary(type)).toThrow(message);
  });
});
