import { describe, expect, it } from 'vitest';
import { FileRefusals, MAX_LISTED_BYTES } from '../src/file-refusals.ts';

/** Collects refusals of files with these paths and one message. */
function refusalsOf(paths: Iterable<string>, message = 'is bad'): FileRefusals {
  const refusals = new FileRefusals();
  for (const path of paths) refusals.add(path, message);
  return refusals;
}

const numbered = (count: number) => Array.from({ length: count }, (_, at) => `${at}.exe`);

describe('api §3: the refused files of a deploy', () => {
  it('have no summary if there are none', () => {
    expect(new FileRefusals().summary()).toBeNull();
  });

  it.each([
    [1, '0.exe: is bad'],
    [2, '0.exe: is bad (and 1 more file)'],
    [50, '0.exe: is bad (and 49 more files)'],
    [51, '0.exe: is bad (and 50 more files, 1 of them not listed)'],
    [9_000, '0.exe: is bad (and 8,999 more files, 8,950 of them not listed)'],
  ])('are listed up to 50 and counted: %s files', (count, message) => {
    const refusals = refusalsOf(numbered(count));
    const issues = numbered(Math.min(count, 50)).map((path) => ({ path, message: 'is bad' }));
    expect(refusals.count).toBe(count);
    expect(refusals.summary()).toEqual({ message, file: '0.exe', issues });
  });

  it('S1: are listed as long as the list has at most 12 KiB, in the order in which they were added', () => {
    const paths = Array.from({ length: 40 }, (_, at) => `${at}${'é'.repeat(500)}`);
    const { issues, message } = refusalsOf([...paths, 'short'])!.summary()!;
    expect(Buffer.byteLength(JSON.stringify(issues))).toBeLessThanOrEqual(MAX_LISTED_BYTES + issues.length + 1);
    expect(issues.map(({ path }) => path)).toEqual(paths.slice(0, 11));
    expect(message).toContain('(and 40 more files, 30 of them not listed)');
  });

  it('always include the first file, however long its name is', () => {
    const long = 'x'.repeat(20_000);
    expect(refusalsOf([long, 'short']).summary()).toMatchObject({ file: long, issues: [{ path: long }] });
  });
});
