import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ByteRange, judgeRange } from '../src/ranges.ts';
import { IF_RANGES, RANGES } from './tables/ranges.ts';
import { expected } from './tables/public-cases.ts';

const etag = '"0123456789abcdef0123456789abcdef"';

function formatRange(judged: ByteRange | 'unsatisfiable' | null): string {
  if (judged === 'unsatisfiable') return '416';
  return judged === null ? 'whole' : `${judged.first}-${judged.last}`;
}

describe('judgeRange', () => {
  it.each(expected(RANGES, 2))('in a test case of %s, %j of %d bytes, returns %s (S46)', (_, range, size, answer) => {
    expect(formatRange(judgeRange({ range }, { size, etag }))).toBe(answer);
  });

  it.each<[answer: string, size: number, ranges: (string | undefined)[]]>([
    ['whole', 10, [undefined, 'bytes 0-4', 'bytes =0-4', ' bytes=0-4', 'bytes=0-4;x', 'bytes=0-4\n']],
    ['whole', 10, ['bytes=+0-4', 'bytes=0.0-4', 'bytes=\u0660-\u0664', 'bytes=0-4, bytes=5-6']],
    ['whole', 10, [`bytes=0-${'9'.repeat(249)}`, `bytes=0-4${','.repeat(10_000)}`]],
    ['whole', 0, ['bytes=1-0']],
    ['0-4', 10, ['BYTES=0-4', 'bytes=\t0-4\t', 'bytes=,0-4,']],
    ['7-8', 10, ['bytes=007-008']],
    ['9-9', 10, ['bytes=9-9']],
    ['0-9', 10, [`bytes=0-${'9'.repeat(23)}`, `bytes=-${'9'.repeat(23)}`, `bytes=0-${'9'.repeat(248)}`]],
    ['416', 10, ['bytes=10-10', 'bytes=-0', 'bytes=-00', `bytes=${'9'.repeat(23)}-`]],
    ['416', 0, ['bytes=-0', 'bytes=-5', 'bytes=0-', 'bytes=0-0']],
  ])('returns %s of %d bytes for each range of %.100j (S46)', (answer, size, ranges) => {
    for (const range of ranges) expect(formatRange(judgeRange({ range }, { size, etag })), range).toBe(answer);
  });

  it('selects the same bytes as slice for ranges of every kind (S46)', () => {
    const rangePositions = fc.record({ size: fc.nat(20), from: fc.nat(25), to: fc.nat(25) });
    fc.assert(
      fc.property(rangePositions, ({ size, from, to }) => {
        const content = Array.from({ length: size }, (_, index) => index);
        const slicedRanges: [range: string, taken: number[]][] = [
          [`bytes=${from}-`, content.slice(from)],
          [`bytes=-${from}`, from === 0 ? [] : content.slice(-from)],
          ...(from <= to ? [[`bytes=${from}-${to}`, content.slice(from, to + 1)] as [string, number[]]] : []),
        ];
        for (const [range, taken] of slicedRanges)
          expect(formatRange(judgeRange({ range }, { size, etag })), range).toBe(
            taken.length === 0 ? '416' : `${taken[0]}-${taken.at(-1)}`,
          );
      }),
    );
  });
});

describe('If-Range', () => {
  it.each(expected(IF_RANGES, 2))('in a test case of %s, tag %s and %j gives %s (S47)', (_, tag, ifRange, answer) => {
    expect(formatRange(judgeRange({ range: 'bytes=0-4', ifRange }, { size: 9, etag: tag }))).toBe(answer);
  });

  const rows: [ifRange: string | undefined, answer: string][] = [
    [undefined, '0-4'],
    [etag, '0-4'],
    [`${etag.slice(0, -1)}-br"`, 'whole'],
    [etag.slice(1, -1), 'whole'],
    [`${etag}, ${etag}`, 'whole'],
    ['*', 'whole'],
    ['', 'whole'],
  ];
  it.each(rows)('with the value %j results in %s (S47)', (ifRange, answer) => {
    expect(formatRange(judgeRange({ range: 'bytes=0-4', ifRange }, { size: 9, etag }))).toBe(answer);
  });

  it('that does not match results in the whole content instead of a 416 (S47)', () => {
    expect(judgeRange({ range: 'bytes=9-', ifRange: '"other"' }, { size: 9, etag })).toBeNull();
    expect(judgeRange({ range: 'bytes=9-', ifRange: etag }, { size: 9, etag })).toBe('unsatisfiable');
  });

  it('is ignored without a Range header (S47)', () => {
    expect(judgeRange({ ifRange: etag }, { size: 9, etag })).toBeNull();
  });
});
