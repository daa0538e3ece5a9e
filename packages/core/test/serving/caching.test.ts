import { describe, expect, it } from 'vitest';
import { cacheControl, entityTag } from '../../src/serving/caching.ts';

describe('S44: entity tags', () => {
  it('are the first 32 digits of the SHA-256, in quotes', () => {
    const sha256 = '0123456789abcdef'.repeat(4);
    expect(entityTag({ pack: 'p', offset: 0, length: 1, sha256 })).toBe('"0123456789abcdef0123456789abcdef"');
  });
});

describe('S53, S54: how long a file may be kept', () => {
  const forever = [
    'app.4f3a9b21.js',
    'index-BX1y_Abq.css',
    'assets/index-D-x9_abc.js',
    'main.4f3a9b21.chunk.js',
    'app.4f3a9b21.js.map',
    'logo-abcdEfgh.svg',
    'font-12345678',
  ];
  it.each(forever)('%s is kept for ever', (path) => {
    expect(cacheControl(path)).toBe('public, max-age=31536000, immutable');
  });

  const asked = [
    'app.js',
    'app-component.js',
    'app-Component.js',
    'app.1234567.js',
    '4f3a9b21.js',
    'page-4f3a9b21.html',
    'jquery-3.6.0.min.js',
    'app-4f3a9b21/app.js',
    'logo-a b12345678x.svg',
    'photo-12345678 (1).jpg',
    'caf\u00e9-\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e91.js',
  ];
  it.each(asked)('%s is asked for again each time', (path) => {
    expect(cacheControl(path)).toBe('public, max-age=0, must-revalidate');
  });

  it('judges a name of dots and dashes at once', () => {
    expect(cacheControl(`${'-'.repeat(100_000)}.js`)).toBe('public, max-age=0, must-revalidate');
  });
});
