import type { Warning } from '@berth/contract';
import { insertDomain } from '@berth/testing/domains';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';

const server = useServer();

/** A visit: the path or address, the status, and the text of the page or the address of a redirect. */
type Visit = [path: string, status: number, text?: string | RegExp, request?: Record<string, string>];

/** A site as another host publishes it, and what docs/moving.md says about it. */
interface MovedSite {
  files: Record<string, string>;
  /** The domains to link. */
  domains?: string[];
  /** The file, the line or key, and a part of each warning, in order of file and line. */
  warnings: [file: string, place: number | string | undefined, message: RegExp][];
  visits: Visit[];
  headers?: [path: string, fields: Record<string, string | undefined>][];
}

const PAGE = { Accept: 'text/html' };
const DATA = { Accept: 'application/json' };

const SITES: Record<string, MovedSite> = {
  'Netlify, a blog with a single-page admin': {
    files: {
      'index.html': 'home',
      'about.html': 'about',
      'posts/first/index.html': 'first post',
      'admin/index.html': 'admin',
      'feed.xml': '<feed/>',
      '404.html': 'not here',
      'netlify.toml': '[build]\n  publish = "dist"\n',
      _redirects: [
        '# moved in 2019',
        '/blog/:year/:month/:slug  /posts/:slug',
        '/rss  /feed.xml  200',
        '/store id=:id  /shop/:id  301',
        '/admin/*  /admin/index.html  200',
        'https://www.blog-moved.example/*  https://blog-moved.example/:splat  301!',
        'https://blog.netlify.app/*  https://blog-moved.example/:splat  301!',
        'https://:lang.blog-moved.example/*  https://blog-moved.example/:lang/:splat  302!',
        '/api/*  https://api.example.com/:splat  200',
        '/form  /.netlify/functions/form  200',
        '/  /de  302  Language=de',
        '/about  /team  301',
        '/news/*  https://news.example.com/:splat  302',
      ].join('\n'),
      _headers:
        '/*\n  X-Frame-Options: DENY\n  X-Content-Type-Options: nosniff\n/posts/*\n  Cache-Control: public, max-age=60\n',
    },
    domains: ['blog-moved.example', 'www.blog-moved.example', 'de.blog-moved.example'],
    warnings: [
      ['_redirects', 4, /query parameters are not supported/],
      ['_redirects', 7, /"blog\.netlify\.app", an address of another service/],
      ['_redirects', 9, /only a redirect can point to another host/],
      ['_redirects', 10, /is not a file or page of this deploy/],
      ['_redirects', 11, /conditions and query parameters are not supported/],
      ['_redirects', 12, /the file "\/about\.html" comes first/],
      ['netlify.toml', undefined, /Write its redirects in _redirects/],
    ],
    visits: [
      ['/', 200, 'home'],
      ['/posts/first/', 200, 'first post'],
      ['/blog/2019/05/first', 301, '/posts/first'],
      ['/rss', 200, '<feed/>'],
      ['/admin/users/7', 200, 'admin', PAGE],
      ['/admin/api.json', 404, 'not here', DATA],
      ['/about', 200, 'about'],
      ['/news/a/b?c=d', 302, 'https://news.example.com/a/b?c=d'],
      ['/missing', 404, 'not here'],
      ['http://www.blog-moved.example/a?b', 301, 'https://blog-moved.example/a?b'],
      ['http://de.blog-moved.example/a', 302, 'https://blog-moved.example/de/a'],
      ['http://blog-moved.example/', 200, 'home'],
    ],
    headers: [
      ['/', { 'x-frame-options': 'DENY', 'x-content-type-options': 'nosniff' }],
      ['/posts/first/', { 'cache-control': 'public, max-age=60', 'x-frame-options': 'DENY' }],
    ],
  },

  'Cloudflare Pages, a documentation site': {
    files: {
      'index.html': 'docs',
      'guide.html': 'guide',
      'guide/setup.html': 'set-up',
      'assets/app.3f2a.js': 'app()',
      '_worker.js': 'export default {}',
      _redirects: [
        '/home / 302',
        '/docs/* /guide/:splat 301',
        '/docs/* /never 301',
        '/old-guide /guide',
        '/* /index.html 200',
      ].join('\n'),
      _headers: [
        'https://:project.pages.dev/*',
        '  X-Robots-Tag: noindex',
        'https://:branch.docs-moved.example/*',
        '  X-Robots-Tag: noindex',
        '  X-Branch: :branch',
        '/assets/*',
        '  Cache-Control: public, max-age=31556952, immutable',
        '  ! X-Frame-Options',
        '/*',
        '  Access-Control-Allow-Origin: *',
        '  Link: <https://docs-moved.example/:splat>; rel="canonical"',
      ].join('\n'),
      'ship.json': '{ "cleanUrls": true }',
    },
    domains: ['docs-moved.example', 'next.docs-moved.example'],
    warnings: [
      ['_headers', 1, /":project\.pages\.dev", an address of another service/],
      ['_redirects', 3, /line 2 has the same path and comes first/],
      ['_worker.js', undefined, /./],
    ],
    visits: [
      ['/guide', 200, 'guide'],
      ['/guide.html', 307, '/guide'],
      ['/guide/setup', 200, 'set-up'],
      ['/home', 302, '/'],
      ['/docs/setup', 301, '/guide/setup'],
      ['/old-guide', 301, '/guide'],
      ['/any/@route.name', 200, 'docs', PAGE],
      ['/assets/missing.js', 404, undefined, DATA],
      ['/_worker.js', 404],
      ['http://docs-moved.example/', 200, 'docs'],
    ],
    headers: [
      ['/assets/app.3f2a.js', { 'cache-control': 'public, max-age=31556952, immutable' }],
      [
        'http://docs-moved.example/guide',
        { link: '<https://docs-moved.example/guide>; rel="canonical"', 'x-branch': undefined },
      ],
      ['http://docs-moved.example/guide', { 'access-control-allow-origin': '*', 'x-robots-tag': undefined }],
      ['http://next.docs-moved.example/', { 'x-robots-tag': 'noindex', 'x-branch': 'next' }],
    ],
  },

  'Vercel, a shop whose vercel.json was renamed': {
    files: {
      'index.html': 'shop',
      'cart.html': 'cart',
      'products/index.html': 'products',
      'robots.txt': 'User-agent: *',
      'ship.json': JSON.stringify({
        $schema: 'https://openapi.vercel.sh/vercel.json',
        cleanUrls: true,
        trailingSlash: false,
        redirects: [
          { source: '/basket', destination: '/cart', permanent: true },
          { source: '/item/:id', destination: '/products?id=:id', permanent: false },
          { source: '/old/:path*', destination: 'https://old.example.com/:path*', statusCode: 302 },
          { source: '/beta', has: [{ type: 'cookie', key: 'beta' }], destination: '/new', permanent: false },
          { source: '/post-:slug(\\d+)', destination: '/:slug', permanent: false },
        ],
        rewrites: [
          { source: '/shop/:path*', destination: '/index.html' },
          { source: '/api/(.*)', destination: 'https://api.example.com/$1' },
          { source: '/((?!api/|static/).*)', destination: '/index.html' },
        ],
        headers: [{ source: '/(.*)', headers: [{ key: 'Referrer-Policy', value: 'no-referrer' }] }],
        functions: { 'api/*.ts': { memory: 512 } },
        routes: [{ src: '/legacy', dest: '/index.html' }],
      }),
      'vercel.json': '{}',
    },
    warnings: [
      ['ship.json', 'functions', /./],
      ['ship.json', 'redirects[3]', /"has"/],
      ['ship.json', 'redirects[4].source', /is not allowed there|placeholder must be a whole segment/],
      ['ship.json', 'rewrites[1].destination', /./],
      ['ship.json', 'routes', /redirects, rewrites and headers/],
      ['vercel.json', undefined, /into ship\.json/],
    ],
    visits: [
      ['/cart', 200, 'cart'],
      ['/cart.html', 307, '/cart'],
      ['/products/', 307, '/products'],
      ['/basket', 308, '/cart'],
      ['/item/7', 307, '/products?id=7'],
      ['/old/a/b', 302, 'https://old.example.com/a/b'],
      ['/shop/any/route', 200, 'shop', PAGE],
      ['/account/settings', 200, 'shop', PAGE],
      ['/api/users', 404, undefined, DATA],
      ['/static/missing.css', 404],
      ['/robots.txt', 200, 'User-agent: *'],
    ],
    headers: [['/cart', { 'referrer-policy': 'no-referrer' }]],
  },

  'GitHub Pages, a project site that Jekyll built': {
    files: {
      'index.html': 'project',
      'docs/index.html': 'docs',
      'docs/install.html': 'install',
      'docs/404.html': 'no such chapter',
      '404.html': 'no such page',
      'feed.xml': '<feed/>',
      '_config.yml': 'title: Project',
      '.nojekyll': '',
      CNAME: 'project-moved.example\n',
    },
    domains: ['project-moved.example'],
    warnings: [
      ['.nojekyll', undefined, /./],
      ['CNAME', undefined, /Link the domain that it names/],
    ],
    visits: [
      ['/', 200, 'project'],
      ['/docs', 307, '/docs/'],
      ['/docs/install', 200, 'install'],
      ['/docs/install.html', 200, 'install'],
      ['/docs/missing', 404, 'no such chapter'],
      ['/missing', 404, 'no such page'],
      ['/.nojekyll', 404, 'no such page'],
      ['http://project-moved.example/docs/install', 200, 'install'],
    ],
    headers: [['/', { 'access-control-allow-origin': undefined }]],
  },
};

const placeOf = ({ line, at }: Warning) => line ?? at;
const byPlace = (a: Warning, b: Warning) =>
  a.file.localeCompare(b.file) || (a.line ?? 0) - (b.line ?? 0) || (a.at ?? '').localeCompare(b.at ?? '');

describe('a site that moves here (S23 to S36, docs/moving.md)', () => {
  it.each(Object.entries(SITES))(
    'from %s behaves as on its former host, or its deploy names each line that behaves differently',
    async (_, site) => {
      const { deployment, warnings = [] } = await server().publish(site.files);
      for (const domain of site.domains ?? []) await insertDomain(server(), domain, { deployment });

      const sorted = warnings.toSorted(byPlace);
      expect(sorted.map((warning) => [warning.file, placeOf(warning)])).toEqual(
        site.warnings.map(([file, place]) => [file, place]),
      );
      for (const [index, [, , message]] of site.warnings.entries()) expect(sorted[index]!.message).toMatch(message);

      const visit = (target: string, headers: Record<string, string> = {}) => {
        const url = target.startsWith('/') ? null : new URL(target);
        const [host, path] = url ? [url.origin, url.pathname + url.search] : [deployment, target];
        return server().visit(host, path, { headers });
      };
      for (const [path, status, text, request] of site.visits) {
        const response = await visit(path, request);
        const shownResult = response.headers['location'] ?? response.text;
        expect([path, response.status, text === undefined ? undefined : shownResult]).toEqual([path, status, text]);
      }
      for (const [path, fields] of site.headers ?? []) {
        const { headers } = await visit(path);
        for (const [name, value] of Object.entries(fields))
          expect([path, name, headers[name]]).toEqual([path, name, value]);
      }
    },
  );
});
