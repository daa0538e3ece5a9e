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
  it.each(expected(RANGES, 2))('%s: %j of %d bytes gives %s (S46)', (_, range, size, answer) => {
    expect(formatRange(judgeRange({ range }, { size, etag }))).toBe(answer);
  });

  const rows: [range: string | undefined, size: number, answer: string][] = [
    [undefined, 10, 'whole'],
    ['BYTES=0-4', 10, '0-4'],
    ['bytes=\t0-4\t', 10, '0-4'],
    ['bytes=,0-4,', 10, '0-4'],
    ['bytes=007-008', 10, '7-8'],
    ['bytes=9-9', 10, '9-9'],
    ['bytes=10-10', 10, '416'],
    ['bytes=-0', 10, '416'],
    ['bytes=-00', 10, '416'],
    ['bytes=-0', 0, '416'],
    ['bytes=-5', 0, '416'],
    ['bytes=0-', 0, '416'],
    ['bytes=0-0', 0, '416'],
    ['bytes=1-0', 0, 'whole'],
    ['bytes 0-4', 10, 'whole'],
    ['bytes =0-4', 10, 'whole'],
    [' bytes=0-4', 10, 'whole'],
    ['bytes=0-4;x', 10, 'whole'],
    ['bytes=+0-4', 10, 'whole'],
    ['bytes=0.0-4', 10, 'whole'],
    ['bytes=0-4, bytes=5-6', 10, 'whole'],
    ['bytes=\u0660-\u0664', 10, 'whole'],
    ['bytes=0-4\n', 10, 'whole'],
    ['bytes=0-99999999999999999999999', 10, '0-9'],
    ['bytes=99999999999999999999999-', 10, '416'],
    ['bytes=-99999999999999999999999', 10, '0-9'],
    [`bytes=0-${'9'.repeat(248)}`, 10, '0-9'],
    [`bytes=0-${'9'.repeat(249)}`, 10, 'whole'],
    [`bytes=0-4${','.repeat(10_000)}`, 10, 'whole'],
  ];
  it.each(rows)('%j of %d bytes gives %s (S46)', (range, size, answer) => {
    expect(formatRange(judgeRange({ range }, { size, etag }))).toBe(answer);
  });

  it('selects the same bytes as slice for ranges of every kind (S46)', () => {
    const positions = fc.record({ size: fc.nat(20), from: fc.nat(25), to: fc.nat(25) });
    fc.assert(
      fc.property(positions, ({ size, from, to }) => {
        const content = Array.from({ length: size }, (_, index) => index);
        const sliced: [range: string, taken: number[]][] = [
          [`bytes=${from}-`, content.slice(from)],
          [`bytes=-${from}`, from === 0 ? [] : content.slice(-from)],
          ...(from <= to ? [[`bytes=${from}-${to}`, content.slice(from, to + 1)] as [string, number[]]] : []),
        ];
        for (const [range, taken] of sliced)
          expect(formatRange(judgeRange({ range }, { size, etag })), range).toBe(
            taken.length === 0 ? '416' : `${taken[0]}-${taken.at(-1)}`,
          );
      }),
    );
  });
});

describe('If-Range', () => {
  it.each(expected(IF_RANGES, 2))('%s: with tag %s, %j results in %s (S47)', (_, tag, ifRange, answer) => {
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
  it.each(rows)('%j results in %s (S47)', (ifRange, answer) => {
    expect(formatRange(judgeRange({ range: 'bytes=0-4', ifRange }, { size: 9, etag }))).toBe(answer);
  });

  it('that does not match hides a range beyond the end, so there is no 416 (S47)', () => {
    expect(judgeRange({ range: 'bytes=9-', ifRange: '"other"' }, { size: 9, etag })).toBeNull();
    expect(judgeRange({ range: 'bytes=9-', ifRange: etag }, { size: 9, etag })).toBe('unsatisfiable');
  });

  it('is ignored without a Range header (S47)', () => {
    expect(judgeRange({ ifRange: etag }, { size: 9, etag })).toBeNull();
  });
});
