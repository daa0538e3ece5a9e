import { describe, expect, it } from 'vitest';
import { isWorthCompressing, mediaTypeOf } from '../src/media-types.ts';

describe('S52: media types', () => {
  const rows: [path: string, contentType: string][] = [
    ['index.html', 'text/html; charset=utf-8'],
    ['a/b.CSS', 'text/css; charset=utf-8'],
    ['app.js', 'text/javascript; charset=utf-8'],
    ['app.mjs', 'text/javascript; charset=utf-8'],
    ['readme.md', 'text/markdown; charset=utf-8'],
    ['robots.txt', 'text/plain; charset=utf-8'],
    ['data.csv', 'text/csv; charset=utf-8'],
    ['cal.ics', 'text/calendar; charset=utf-8'],
    ['subs.vtt', 'text/vtt; charset=utf-8'],
    ['data.json', 'application/json'],
    ['app.js.map', 'application/json'],
    ['site.webmanifest', 'application/manifest+json'],
    ['app.manifest', 'application/manifest+json'],
    ['mod.wasm', 'application/wasm'],
    ['feed.xml', 'application/xml'],
    ['feed.rss', 'application/rss+xml'],
    ['feed.atom', 'application/atom+xml'],
    ['logo.svg', 'image/svg+xml'],
    ['p.png', 'image/png'],
    ['p.jpeg', 'image/jpeg'],
    ['p.webp', 'image/webp'],
    ['p.avif', 'image/avif'],
    ['favicon.ico', 'image/x-icon'],
    ['f.woff2', 'font/woff2'],
    ['f.ttf', 'font/ttf'],
    ['a.mp3', 'audio/mpeg'],
    ['v.mp4', 'video/mp4'],
    ['v.webm', 'video/webm'],
    ['d.pdf', 'application/pdf'],
    ['m.glb', 'model/gltf-binary'],
    ['m.gltf', 'model/gltf+json'],
    ['.well-known/apple-app-site-association', 'application/json'],
    ['tiles.ndjson', 'application/x-ndjson'],
    ['app.apk', 'application/vnd.android.package-archive'],
    ['seg.ts', 'video/mp2t'],
    ['x.html.br', 'application/octet-stream'],
    ['x.html.gz', 'application/gzip'],
    ['x.html.zst', 'application/zstd'],
    ['LICENSE', 'application/octet-stream'],
    ['a.unknown', 'application/octet-stream'],
    ['a.', 'application/octet-stream'],
    ['folder.html/file', 'application/octet-stream'],
    ['a.constructor', 'application/octet-stream'],
    ['__proto__', 'application/octet-stream'],
  ];
  it.each(rows)('%s has the type %s', (path, contentType) => {
    expect(mediaTypeOf(path).contentType).toBe(contentType);
  });

  it.each(['app.js.br', 'app.js.gz', 'app.js.zst'])(
    'S51: %s does not get the type of the uncompressed file',
    (path) => {
      expect(mediaTypeOf(path).contentType).not.toContain('javascript');
    },
  );

  const compressible =
    'a.html a.js a.mjs a.css a.txt a.md a.csv a.json a.ndjson a.geojson a.xml a.rss a.svg a.wasm a.js.map a.webmanifest ' +
    'a.ttf a.otf a.ttc a.eot .well-known/apple-app-site-association';
  it.each(compressible.split(' '))('%s benefits from compression (S48)', (path) => {
    expect(mediaTypeOf(path).compressible).toBe(true);
  });
  it.each('a.png a.ico a.woff a.woff2 a.mp4 a.zip a.pdf a a.js.br a.js.gz a.js.zst'.split(' '))(
    '%s does not (S48)',
    (path) => {
      expect(mediaTypeOf(path).compressible).toBe(false);
    },
  );
});

describe('isWorthCompressing', () => {
  const rows: [path: string, size: number, worth: boolean][] = [
    ['a.js', 0, false],
    ['a.js', 1023, false],
    ['a.js', 1024, true],
    ['a.js', 16 * 1024 * 1024, true],
    ['a.js', 16 * 1024 * 1024 + 1, false],
    ['a.png', 4096, false],
    ['a.js.gz', 4096, false],
    ['a', 4096, false],
  ];
  it.each(rows)('for %s of %d bytes: %s (S48)', (path, size, worth) => {
    expect(isWorthCompressing(path, size)).toBe(worth);
  });
});
