import { findPathConflict, isWithheld, normalizePath } from '@berth/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSystemPath, parseRequestPath } from '../src/request-path.ts';
import { resolveTarget, type DecidedSite, siteOf, formatIntent } from './visits.ts';

const UNUSUAL_SEGMENTS = [
  'x y',
  ...(
    'a b index index.html 404.html 200.html a.html b.html a.js caf\u00e9 ' +
    '.git .html .well-known .berth unlock acme-challenge ship.json _headers _worker.js _headers.html'
  ).split(' '),
];
const usualSegment = fc.constantFrom('a', 'b', 'index', 'a.html', 'index.html', 'a.js', 'ship.json');
const segment = fc.oneof(
  { weight: 2, arbitrary: usualSegment },
  { weight: 1, arbitrary: fc.constantFrom(...UNUSUAL_SEGMENTS) },
);

const files = fc
  .array(fc.array(segment, { minLength: 1, maxLength: 3 }), { maxLength: 12 })
  .map((paths) => paths.map((segments) => segments.join('/')).filter((path) => normalizePath(path).ok))
  .map((paths) => {
    const publishedPaths: string[] = [];
    for (const path of paths) if (!findPathConflict([...publishedPaths, path])) publishedPaths.push(path);
    return publishedPaths;
  });

const rulePath = fc
  .tuple(fc.array(usualSegment, { maxLength: 2 }), fc.boolean())
  .map(([segments, slash]) => `/${segments.join('/')}${slash && segments.length > 0 ? '/' : ''}`);
const rule = fc
  .tuple(
    rulePath,
    fc.constantFrom('', '*'),
    fc.constantFrom(200, 200, 404, 301, 302, 307),
    fc.constantFrom('', '', '', 'https://example.com'),
    rulePath,
    fc.constantFrom('', '', ':splat', '?q=1', '#part'),
  )
  .map(([from, star, status, origin, to, rest]) => {
    const pattern = star && !from.endsWith('/') ? `${from}/*` : from + star;
    return `${pattern} ${status} ${origin}${to}${rest}`;
  });
const rules = fc.array(rule, { maxLength: 3 });

const siteSketch = fc.record({
  files,
  cleanUrls: fc.boolean(),
  trailingSlash: fc.constantFrom(null, true, false),
  forced: rules,
  whenMissing: rules,
});

const spelled = fc.oneof(
  { weight: 6, arbitrary: segment.map((text) => encodeURIComponent(text)) },
  {
    weight: 1,
    arbitrary: segment.map((text) =>
      [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
    ),
  },
  { weight: 2, arbitrary: fc.constantFrom('', '.', '..', '%2e%2e', 'a%2fb', '%5c', '\\', 'evil.example') },
);
const accept = fc.constantFrom(undefined, 'text/html', 'application/json');
const query = fc.constantFrom('', '?', '?q=1', '?//evil.example');
const anywhere = fc
  .tuple(fc.array(spelled, { maxLength: 5 }), fc.boolean())
  .map(([segments, slash]) => `/${segments.join('/')}${slash ? '/' : ''}`);
/** Generates a path like that of a file: the name with or without its extension, as a folder, or unclean. */
function nearbyPath(paths: string[]) {
  return fc
    .tuple(
      fc.constantFrom('', ...paths),
      fc.constantFrom(/$/, /\.html$/, /\/?index\.html$/),
      fc.constantFrom('', '/', '//'),
    )
    .map(([path, ending, slash]) => `/${encodeURI(path.replace(ending, ''))}${slash}`);
}

/** Generates a site, a target that may match one of its files, and an Accept header. */
const visit = siteSketch.chain((drawn) =>
  fc.tuple(
    fc.constant(drawn).map(siteOf),
    fc.tuple(fc.oneof(anywhere, nearbyPath(drawn.files)), query).map((parts) => parts.join('')),
    accept,
  ),
);
const RUNS = { numRuns: 1000 };

/** Checks a property for random targets on random sites. */
function always(check: (site: DecidedSite, target: string, accept: string | undefined) => void) {
  fc.assert(
    fc.property(visit, (drawn) => check(...drawn)),
    RUNS,
  );
}

describe('for any site, rules, path and Accept', () => {
  it('only files of the site are served, and no withheld one (S12)', () => {
    always((site, target, accept) => {
      const intent = resolveTarget(target, site, { accept });
      if (intent?.kind !== 'file') return;
      expect(isWithheld(intent.path) || isSystemPath(intent.path)).toBe(false);
      expect(site.manifest.has(intent.path)).toBe(true);
    });
  });

  it('a redirect leads to a path on the same host, unless a rule contains an absolute URL (S13)', () => {
    always((site, target, accept) => {
      const intent = resolveTarget(target, site, { accept });
      if (intent?.kind !== 'canonical' && intent?.kind !== 'redirect') return;
      const location = intent.location.replace(/^https:\/\/example\.com(?=\/)/, '');
      expect(location === intent.location || intent.kind === 'redirect').toBe(true);
      expect(location).toMatch(/^\/(?![/\\])[\x21-\x7e]*$/);
      expect(new URL(location, 'http://site.example').host).toBe('site.example');
    });
  });

  it('a canonical redirect reaches a 200 in one hop and keeps the query (S18)', () => {
    let redirects = 0;
    always((site, target, accept) => {
      const intent = resolveTarget(target, site, { accept });
      if (intent?.kind !== 'canonical') return;
      redirects += 1;
      expect(resolveTarget(intent.location, site, { accept })).toMatchObject({ kind: 'file', status: 200 });
      expect(intent.location.replace(/^[^?]*/, '')).toBe(target.replace(/^[^?]*/, ''));
    });
    expect(redirects).toBeGreaterThan(20);
  });

  it('a declared redirect never leads to the requested address itself (S28)', () => {
    always((site, target, accept) => {
      const intent = resolveTarget(target, site, { accept });
      if (intent?.kind !== 'redirect') return;
      expect(intent.location.replace(/#.*$/, '')).not.toBe(target);
    });
  });

  it('a response that does not vary by Accept is the same for another Accept (S38)', () => {
    fc.assert(
      fc.property(visit, accept, ([site, target, first], second) => {
        const intent = resolveTarget(target, site, { accept: first });
        if (intent === null || ('variesByAccept' in intent && intent.variesByAccept)) return;
        expect(resolveTarget(target, site, { accept: second })).toEqual(intent);
      }),
      RUNS,
    );
  });

  it('an unclean path is never served in place (S9)', () => {
    always((site, target, accept) => {
      const path = parseRequestPath(target.replace(/\?.*$/, ''));
      if (path === null || path.clean) return;
      expect(formatIntent(resolveTarget(target, site, { accept }))).not.toMatch(/^200 /);
    });
  });

  it('every file is served at its path, or at its address with cleanUrls, unless a rule decides otherwise (S14)', () => {
    fc.assert(
      fc.property(files, fc.boolean(), fc.constantFrom(null, true, false), (files, cleanUrls, trailingSlash) => {
        const site = siteOf({ files, cleanUrls, trailingSlash });
        for (const path of files) {
          if (isWithheld(path) || isSystemPath(path)) continue;
          const intent = resolveTarget(encodeURI(`/${path}`), site);
          const lastIntent = intent?.kind === 'canonical' && cleanUrls ? resolveTarget(intent.location, site) : intent;
          expect(formatIntent(lastIntent)).toBe(`200 ${path}`);
        }
      }),
    );
  });
});
