import { field, multipart } from '@berth/testing/multipart';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MultipartSplitter, readBoundary } from '../../src/api-host/multipart-splitter.ts';
import { readPart, readUsualFile } from '../../src/api-host/part-head.ts';

/** Returns the head and the content of each part of a body that arrives in pieces. */
function split(body: Buffer, cuts: readonly number[], boundary: string): { head: string; content: string }[] {
  const parts: { head: string; content: string }[] = [];
  let openPart = { head: '', content: '' };
  const splitter = new MultipartSplitter(boundary, {
    onHead: (head) => (openPart = { head: head.toString('latin1'), content: '' }),
    onContent: (bytes) => (openPart.content += bytes.toString('latin1')),
    onEnd: () => parts.push(openPart),
  });
  const positions = [0, ...cuts.map((cut) => cut % (body.length + 1)).toSorted((a, b) => a - b), body.length];
  for (const [i, end] of positions.slice(1).entries()) splitter.write(body.subarray(positions[i], end));
  splitter.end();
  return parts;
}

const cuts = fc.array(fc.nat(2_000), { maxLength: 30 });

describe('F3: a multipart body', () => {
  // A line that begins with the boundary is a delimiter, even at the start of a value.
  const almostBoundary = fc
    .string({ unit: fc.constantFrom('\r', '\n', '-', 'b', 'x', '\r\n--b'), maxLength: 12 })
    .filter((value) => !`\r\n${value}`.includes('\r\n--bxb'));

  it('is split into its parts wherever it is cut', () => {
    fc.assert(
      fc.property(fc.array(almostBoundary, { maxLength: 6 }), cuts, (values, cuts) => {
        const { body } = multipart(
          values.map((value) => field('a', value)),
          { boundary: 'bxb' },
        );
        expect(split(body, cuts, 'bxb')).toEqual(
          values.map((content) => ({ head: 'Content-Disposition: form-data; name="a"', content })),
        );
      }),
      { numRuns: 400 },
    );
  });

  it('is split into its parts if it arrives byte by byte', () => {
    const { body } = multipart([field('a', ''), field('b', '\r\n--bx'), field('c', '')], { boundary: 'bxb' });
    expect(split(body, body.keys().toArray(), 'bxb').map(({ content }) => content)).toEqual(['', '\r\n--bx', '']);
  });

  it.each([
    ['text before the first delimiter', 'x\r\n--b\r\na:b\r\n\r\n\r\n--b--'],
    ['a line break before the first delimiter', '\r\n--b\r\na:b\r\n\r\n\r\n--b--'],
    ['text after the last delimiter', '--b\r\na:b\r\n\r\n\r\n--b--\r\nx'],
    ['a space after a boundary', '--b \r\na:b\r\n\r\n\r\n--b--'],
    ['an invalid closing delimiter', '--b\r\na:b\r\n\r\n\r\n--b-x'],
    ['no closing delimiter', '--b\r\na:b\r\n\r\nx\r\n--'],
    ['a delimiter between the headers of a part', '--b\r\na:b\r\n--b\r\na:b\r\n\r\n\r\n--b--'],
    ['a delimiter that shares the line end of the headers', '--b\r\na:b\r\n\r\n--b\r\na:b\r\n\r\n\r\n--b--'],
    ['no delimiter after its headers', '--b\r\na:b\r\n\r\n--b--'],
    ['headers of more than 16 KiB', `--b\r\na:${'b'.repeat(16 * 1024)}\r\n\r\n\r\n--b--`],
  ])('is refused if it has %s, wherever it is cut', (_, text) => {
    fc.assert(
      fc.property(cuts, (cuts) => {
        expect(() => split(Buffer.from(text), cuts, 'b')).toThrow(/multipart/);
      }),
    );
  });
});

it('F3: the file name in a usual head is the same as the one that the complete parser reads', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 4 }),
    fc.constantFrom('"', '\\', '\r\n', '; name="via"', '\u007f', '\u0080', '\u00e9', '\u{1f6a2}', 'a.txt', '../'),
  );
  const lines = fc.tuple(
    fc.array(piece, { maxLength: 5 }),
    fc.constantFrom('', '\r\nContent-Type: text/plain', '\r\nContent-Type: text/html; charset=utf-16le', '\r\nx'),
  );
  let usualCount = 0;
  fc.assert(
    fc.property(lines, ([pieces, type]) => {
      const head = Buffer.from(`Content-Disposition: form-data; name="files[]"; filename="${pieces.join('')}"${type}`);
      const filename = readUsualFile(head);
      if (filename === null) return;
      usualCount += 1;
      expect(readPart(head, Buffer.alloc(0), 'b')).toEqual({ kind: 'file', name: 'files[]', filename });
    }),
    { numRuns: 600 },
  );
  expect(usualCount).toBeGreaterThan(30);
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
