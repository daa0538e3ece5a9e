import { posix, win32 } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  findCaseTwins,
  findPathConflict,
  MAX_PATH_BYTES,
  MAX_PATH_SEGMENTS,
  MAX_SEGMENT_BYTES,
  normalizePath,
} from '../src/paths.ts';

const segment = (bytes: number) => 'a'.repeat(bytes);
const deepPath = (segments: number) => Array.from({ length: segments }, () => 'a').join('/');
const pathOf = (bytes: number) =>
  `${`${segment(99)}/`.repeat(Math.floor((bytes - 1) / 100))}${segment(((bytes - 1) % 100) + 1)}`;

/** Returns the shortest of three times that findPathConflict takes for copies of paths without a conflict. */
function shortestMs(paths: readonly string[]): number {
  const elapsedTimes = [1, 2, 3].map(() => {
    const copies = paths.map((path) => Buffer.from(path).toString());
    const start = performance.now();
    expect(findPathConflict(copies)).toBeNull();
    return performance.now() - start;
  });
  return Math.min(...elapsedTimes);
}

/** Whether a path stays inside a folder: as text, percent-decoded, and with `\` as `/`. */
function staysInside(path: string): boolean {
  return [path, decoded(path), path.replaceAll('\\', '/'), decoded(path).replaceAll('\\', '/')].every(
    (read) =>
      posix.resolve('/srv/site', read).startsWith('/srv/site/') &&
      win32.resolve('D:\\site', read).startsWith('D:\\site\\'),
  );
}

function decoded(path: string): string {
  return path.replace(/(?:%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString());
}

describe('api §3: normalizePath', () => {
  it.each([
    ['/index.html', 'index.html'],
    ['./index.html', 'index.html'],
    ['./docs/a.html', 'docs/a.html'],
    ['cafe\u0301.html', 'caf\u00e9.html'],
    ['\u1100\u1161\u11a8', '\uac01'],
    [`/${pathOf(MAX_PATH_BYTES)}`, pathOf(MAX_PATH_BYTES)],
    ['e\u0301'.repeat(127), '\u00e9'.repeat(127)],
    [`./${deepPath(MAX_PATH_SEGMENTS)}`, deepPath(MAX_PATH_SEGMENTS)],
  ])('converts the name %j to the path %j', (name, path) => {
    expect(normalizePath(name)).toEqual({ ok: true, path });
  });

  it.each([
    ['a usual name', ['index.html', 'docs/a/b.html', '.well-known/security.txt']],
    ['dots', ['..a', 'a..', '...', 'a/.../b', 'end. ']],
    ['letters beyond ASCII', ['caf\u00e9.html', '日本語/ページ.html', '\u{1f600}.png']],
    ['joined emoji', ['\u{1f468}\u200d\u{1f469}\u200d\u{1f467}.png']],
    ['names that some systems reserve', ['CON', 'a|b*c', 'notes: one.txt', '__proto__']],
    ['marks', ["it's & more, (x) [y] {z} $1 ~ ^ ` ! + = @ ;"]],
    ['the maximum length', [segment(MAX_SEGMENT_BYTES), pathOf(MAX_PATH_BYTES)]],
  ])('does not change %s in names such as %.60j', (_, names) => {
    for (const path of names) expect(normalizePath(path)).toEqual({ ok: true, path });
  });
});

describe('T1: normalizePath', () => {
  it.each([
    ['the path must not be empty', ['', '/', './']],
    ['relative', ['//x', '///x', './/x', '//host/share']],
    ['drive on Windows', ['/C:/x', 'C:', 'c:/x', 'C:x', './C:/x', '\u212a:/x', 'a:b.txt']],
    ['"." or ".."', ['.', '..', '../x', '/../x', '././x', '/./x', 'a/../b', 'a/./b', 'a/..', 'a/.']],
    ['empty segment', ['a//b', 'a/']],
    ['folders must be separated by "/"', ['..\\x', 'a\\b', 'C:\\x']],
    ['this one has %', ['a%00b', '%2e%2e/x', '..%2fx']],
    ['this one has #', ['a#b']],
    ['this one has ?', ['a?b']],
    ['this one has <', ['a<b']],
    ['this one has >', ['a>b']],
    ['this one has "', ['a"b']],
    ['UTF-8', ['a\ud800', '\udc00a', '\udc00\ud800', 'a\ufffdb']],
    [
      'a path segment must have at most 255 bytes',
      [segment(MAX_SEGMENT_BYTES + 1), `${segment(3)}/${'\u00e9'.repeat(128)}/x`],
    ],
    ['a path must have at most 1024 bytes', [pathOf(MAX_PATH_BYTES + 1), segment(5_000)]],
    ['a path must have at most 64 segments', [deepPath(MAX_PATH_SEGMENTS + 1), `/${deepPath(MAX_PATH_SEGMENTS + 1)}`]],
  ])('gives a reason with "%s" for refusing each of %.60j', (reason, names) => {
    for (const name of names)
      expect(normalizePath(name), name).toEqual({ ok: false, reason: expect.stringContaining(reason) });
  });

  const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);
  const marks = [0x61c, 0x200e, 0x200f, ...range(0x2028, 0x202e), ...range(0x2066, 0x2069), 0xfeff];
  it.each([...range(0, 0x1f), ...range(0x7f, 0x9f), ...marks].map((code) => [code.toString(16)]))(
    'refuses the control, separator or direction mark U+%s at any position',
    (hex) => {
      const mark = String.fromCodePoint(Number.parseInt(hex, 16));
      for (const name of [mark, `${mark}a`, `a${mark}b`, `a/b${mark}`, `/${mark}`])
        expect(normalizePath(name)).toMatchObject({ ok: false });
    },
  );
});

describe('T1: a path that normalizePath accepts', () => {
  const spacedSegments = ['.. ', '..\u0000', '.\u200b.'];
  const dots = '.. %2e%2e %2E. .%2e %252e%252e %c0%ae%c0%ae %uff0e%uff0e ..%00 ..; %%32%65%%32%65'.split(' ');
  const otherSegments = '. ... .... \uff0e\uff0e \u2025 \u002e\u0323.'.split(' ');
  const separators = '/ \\ %2f %5c %252f %255c %c0%af %c1%9c // \\/ /./ ;/ : %u2215 \u2215 \uff0f \u29f8'.split(' ');
  const steps = [...dots, ...otherSegments, ...spacedSegments].flatMap((dot) =>
    separators.map((separator) => dot + separator),
  );
  const prefixes = ['', ...'/ ./ // a/ C: D: C:/ \\\\host\\ file:/// %2f'.split(' ')];
  it.each(prefixes)('stays inside its folder for every encoding of dots and separators after "%s"', (prefix) => {
    for (const step of steps)
      for (const depth of [1, 2, 6])
        for (const target of ['etc/passwd', 'windows\\win.ini', 'index.html'])
          for (const suffix of ['', '%00', '/', '.html']) {
            const result = normalizePath(prefix + step.repeat(depth) + target + suffix);
            if (result.ok) expect(staysInside(result.path), result.path).toBe(true);
          }
  });

  const signs = '. .. / // ./ ../ \\ %2e %2f %5c C: : \u2025 \uff0e \uff0f a b.html'.split(' ');
  const pathPiece = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(' ', '\u0000', ...signs) },
    { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 4 }) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 3 }) },
  );
  const anyName = fc.array(pathPiece, { maxLength: 12 }).map((pieces) => pieces.join(''));

  it('stays inside its folder for any name, and is not changed by normalizing it again', () => {
    fc.assert(
      fc.property(anyName, (name) => {
        const result = normalizePath(name);
        if (!result.ok) return;
        expect(staysInside(result.path)).toBe(true);
        expect(normalizePath(result.path)).toEqual(result);
        expect(result.path).toBe(result.path.normalize('NFC'));
        expect(Buffer.byteLength(result.path)).toBeLessThanOrEqual(MAX_PATH_BYTES);
        expect(new URL(`http://h/${encodeURI(result.path)}`).pathname).toBe(`/${encodeURI(result.path)}`);
      }),
      { numRuns: 1_500 },
    );
  });
});

describe('T2: findPathConflict', () => {
  it.each([
    [['a', 'a'], 'a', 'a', 'two parts name the same file'],
    [['a', 'b', 'a'], 'a', 'a', 'two parts name the same file'],
    [['a', 'a/b'], 'a', 'a/b', 'a file cannot also be a folder'],
    [['a/b', 'a'], 'a', 'a/b', 'a file cannot also be a folder'],
    [['a/b/c/d', 'x', 'a/b'], 'a/b', 'a/b/c/d', 'a file cannot also be a folder'],
    [['a/x', 'a/b/y', 'a/b'], 'a/b', 'a/b/y', 'a file cannot also be a folder'],
    [['a/b/y', 'a/b/z', 'a'], 'a', 'a/b/y', 'a file cannot also be a folder'],
    [['a', 'a b', 'a-b', 'a.b', 'a/z'], 'a', 'a/z', 'a file cannot also be a folder'],
  ])('finds in %j the conflict of %s and %s with the reason "%s"', (paths, first, second, reason) => {
    expect(findPathConflict(paths)).toEqual({ first, second, reason });
  });

  it.each([
    [[]],
    [['a']],
    [['a', 'b']],
    [['a/b', 'a/c', 'ab']],
    [['a', 'A']],
    [['a', 'a.b', 'a-b/c']],
    [['a', 'a b/c', 'a!/c', 'a.b/c', 'a-/c']],
    [['__proto__', 'constructor/x']],
  ])('finds no conflict in %j', (paths) => {
    expect(findPathConflict(paths)).toBeNull();
  });

  it('S15: takes about as long for deep paths as for flat paths', async () => {
    const folders = `/${segment(14)}`.repeat(MAX_PATH_SEGMENTS - 2);
    const deepPaths = Array.from({ length: 10_000 }, (_, i) => `${i}${folders}/z`);
    const flatPaths = deepPaths.map((path) => path.replaceAll('/', '-'));
    // Other tests that keep the machine busy can delay one of both.
    await expect.poll(() => shortestMs(deepPaths) - 10 * shortestMs(flatPaths)).toBeLessThan(50);
  });

  it('finds a conflict exactly when two of the paths cannot both be published', () => {
    const path = fc
      .array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 4 })
      .map((parts) => parts.join('/'));
    fc.assert(
      fc.property(fc.array(path, { maxLength: 8 }), (paths) => {
        const clash = paths.some((a, i) => paths.some((b, j) => i !== j && (a === b || b.startsWith(`${a}/`))));
        const foundConflict = findPathConflict(paths);
        expect(foundConflict !== null).toBe(clash);
        if (foundConflict) expect(paths).toEqual(expect.arrayContaining([foundConflict.first, foundConflict.second]));
      }),
    );
  });
});

describe('api §3: findCaseTwins', () => {
  it('reports each path that repeats an earlier path in another case', () => {
    expect(findCaseTwins(['a', 'A', 'b', 'docs/X', 'Docs/x', 'DOCS/X'])).toEqual([
      { file: 'A', twin: 'a' },
      { file: 'Docs/x', twin: 'docs/X' },
      { file: 'DOCS/X', twin: 'docs/X' },
    ]);
  });

  it('ignores the case of letters beyond ASCII, too', () => {
    expect(findCaseTwins(['É', 'é', '__proto__'])).toEqual([{ file: 'é', twin: 'É' }]);
  });
});
