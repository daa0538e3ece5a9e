import { describe, expect, it } from 'vitest';
import { isWorthCompressing, mediaTypeOf } from '../src/media-types.ts';

describe('S52: by the table of media types,', () => {
  const PATHS: Record<string, string> = {
    'text/html; charset=utf-8': 'index.html',
    'text/css; charset=utf-8': 'a/b.CSS',
    'text/javascript; charset=utf-8': 'app.js app.mjs',
    'text/markdown; charset=utf-8': 'readme.md',
    'text/plain; charset=utf-8': 'robots.txt',
    'text/csv; charset=utf-8': 'data.csv',
    'text/calendar; charset=utf-8': 'cal.ics',
    'text/vtt; charset=utf-8': 'subs.vtt',
    'application/json': 'data.json app.js.map .well-known/apple-app-site-association',
    'application/manifest+json': 'site.webmanifest app.manifest',
    'application/wasm': 'mod.wasm',
    'application/xml': 'feed.xml',
    'application/rss+xml': 'feed.rss',
    'application/atom+xml': 'feed.atom',
    'image/svg+xml': 'logo.svg',
    'image/png': 'p.png',
    'image/jpeg': 'p.jpeg',
    'image/webp': 'p.webp',
    'image/avif': 'p.avif',
    'image/x-icon': 'favicon.ico',
    'font/woff2': 'f.woff2',
    'font/ttf': 'f.ttf',
    'audio/mpeg': 'a.mp3',
    'video/mp4': 'v.mp4',
    'video/webm': 'v.webm',
    'video/mp2t': 'seg.ts',
    'model/gltf-binary': 'm.glb',
    'model/gltf+json': 'm.gltf',
    'application/pdf': 'd.pdf',
    'application/x-ndjson': 'tiles.ndjson',
    'application/vnd.android.package-archive': 'app.apk',
    'application/gzip': 'x.html.gz',
    'application/zstd': 'x.html.zst',
    'application/octet-stream': 'x.html.br LICENSE a.unknown a. folder.html/file a.constructor __proto__',
  };
  it.each(Object.entries(PATHS))('%s is the type of %s', (contentType, paths) => {
    for (const path of paths.split(' ')) expect(mediaTypeOf(path).contentType, path).toBe(contentType);
  });

  it.each('app.js.br app.js.gz app.js.zst'.split(' '))('S51: %s does not get the type of app.js', (path) => {
    expect(mediaTypeOf(path).contentType).not.toContain('javascript');
  });

  const compressible =
    'a.html a.js a.mjs a.css a.txt a.md a.csv a.json a.ndjson a.geojson a.xml a.rss a.svg a.wasm a.js.map a.webmanifest ' +
    'a.ttf a.otf a.ttc a.eot .well-known/apple-app-site-association';
  it.each(compressible.split(' '))('%s benefits from compression (S48)', (path) => {
    expect(mediaTypeOf(path).compressible).toBe(true);
  });
  it.each('a.png a.ico a.woff a.woff2 a.mp4 a.zip a.pdf a a.js.br a.js.gz a.js.zst'.split(' '))(
    '%s does not benefit from compression (S48)',
    (path) => {
      expect(mediaTypeOf(path).compressible).toBe(false);
    },
  );
});

it.each([
  ['a.js', 0, false],
  ['a.js', 1023, false],
  ['a.js', 1024, true],
  ['a.js', 16 * 1024 * 1024, true],
  ['a.js', 16 * 1024 * 1024 + 1, false],
  ['a.png', 4096, false],
  ['a.js.gz', 4096, false],
  ['a', 4096, false],
])('isWorthCompressing for the file %s of %d bytes returns %s (S48)', (path, size, worth) => {
  expect(isWorthCompressing(path, size)).toBe(worth);
});
