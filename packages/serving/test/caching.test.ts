import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cacheControl, entityTag, hasHashInName } from '../src/caching.ts';

describe('entity tags', () => {
  const sha256 = '0123456789abcdef'.repeat(4);

  it('are the first 32 digits of the SHA-256, in quotes (S44)', () => {
    expect(entityTag(sha256)).toBe('"0123456789abcdef0123456789abcdef"');
    expect(entityTag(sha256, null)).toBe('"0123456789abcdef0123456789abcdef"');
  });

  it.each(['br', 'zstd', 'gzip'] as const)('include the coding %s inside the quotes (S44)', (coding) => {
    expect(entityTag(sha256, coding)).toBe(`"0123456789abcdef0123456789abcdef-${coding}"`);
  });
});

describe('cacheControl', () => {
  it.each([
    ['between dots', ['app.4f3a9b21.js', 'main.4f3a9b21.chunk.js', 'app.4f3a9b21.js.map']],
    ['after a dash', ['index-BX1y_Abq.css', 'assets/index-D-x9_abc.js', 'logo-abcdEfgh.svg', 'font-12345678']],
  ])('makes names with a hash %s cacheable forever, such as %j (S53, S54)', (_, paths) => {
    for (const path of paths) expect(cacheControl(path), path).toBe('public, max-age=31536000, immutable');
  });

  it.each([
    ['a name without a hash', ['app.js', 'app-component.js', 'app-Component.js', 'jquery-3.6.0.min.js']],
    ['a hash that is too short', ['app.1234567.js']],
    ['a hash elsewhere', ['4f3a9b21.js', 'app-4f3a9b21/app.js']],
    ['a page', ['page-4f3a9b21.html']],
    ['other characters', ['logo-a b12345678x.svg', 'photo-12345678 (1).jpg', `caf\u00e9-${'\u00e9'.repeat(8)}1.js`]],
  ])('requires revalidation of %s each time, such as %j (S53, S54)', (_, paths) => {
    for (const path of paths) expect(cacheControl(path), path).toBe('public, max-age=0, must-revalidate');
  });

  it('agrees with a regular expression on which names contain a hash (S54)', () => {
    const namePieces = fc.constantFrom('.', '-', '_', 'a', 'Z', '7', ' ', '/', 'é', 'abcdefg', '4f3a9b2');
    const names = fc.array(namePieces, { maxLength: 12 }).map((parts) => parts.join(''));
    const isHash = /\d|.[A-Z]/;
    fc.assert(
      fc.property(names, (name) => {
        const stem = name.replace(/^.*\//, '').replace(/\.[^.]*$/, '');
        const parts = [...stem.matchAll(/[.-]([\w-]{8,})(?=\.|$)/g)];
        expect(hasHashInName(name)).toBe(parts.some(([, part]) => isHash.test(part!)));
      }),
      { numRuns: 600 },
    );
  });

  it('handles a long name of dots and dashes fast (S54)', () => {
    expect(cacheControl(`${'-'.repeat(100_000)}.js`)).toBe('public, max-age=0, must-revalidate');
  });
});
