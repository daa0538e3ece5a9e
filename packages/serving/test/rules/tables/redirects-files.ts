/** A `_redirects` file, its meaning in the original suite, and, if Berth differs, its meaning here and the reason. */
export interface RedirectsFile {
  text: string;
  /** The rules, with `!` before a forced one, and `fault` for a line that is rejected. */
  theirs: string[];
  ours?: string[];
  why?: string;
}

const NO_CONDITIONS = 'conditions and query parameters are faults, because a rule must not act without them (S30)';
const NO_HOST = 'rules apply to every host of the site (S30)';
const NO_PROXY = 'no proxying (S30)';
const CODE_301 = 'the code is 301 when none is given (S25)';

/** netlify/build packages/redirect-parser/tests/fixtures/redirects_file, MIT. */
export const NETLIFY_REDIRECTS: Record<string, RedirectsFile> = {
  comment_full: {
    text: '# this is just an old leftover\n/blog/my-post.php  /blog/my-post',
    theirs: ['/blog/my-post.php -> 301 /blog/my-post'],
  },
  comment_inline: {
    text: '/blog/my-post.php  /blog/my-post # this is just an old leftover',
    theirs: ['/blog/my-post.php -> 301 /blog/my-post'],
  },
  conditions_country: {
    text: '/  /china 302 Country=ch,tw',
    theirs: ['/ -> 302 /china Country=ch,tw'],
    ours: ['fault'],
    why: NO_CONDITIONS,
  },
  conditions_country_language: {
    text: '/  /china 302 Country=il Language=en',
    theirs: ['/ -> 302 /china Country=il Language=en'],
    ours: ['fault'],
    why: NO_CONDITIONS,
  },
  conditions_query: {
    text: '/donate source=:source email=:email /donate/usa?source=:source&email=:email 302 Country=us',
    theirs: ['/donate?source=:source&email=:email -> 302 /donate/usa Country=us'],
    ours: ['fault'],
    why: NO_CONDITIONS,
  },
  conditions_role: {
    text: '/admin/*  /admin/:splat 200 Role=admin',
    theirs: ['/admin/* -> 200 /admin/{0} Role=admin'],
    ours: ['fault'],
    why: NO_CONDITIONS,
  },
  conditions_roles: {
    text: '/member/*  /member/:splat 200 Role=admin,member',
    theirs: ['/member/* -> 200 /member/{0} Role=admin,member'],
    ours: ['fault'],
    why: NO_CONDITIONS,
  },
  empty: { text: '', theirs: [] },
  empty_line: { text: '/one /two\n\n/three /four\n', theirs: ['/one -> 301 /two', '/three -> 301 /four'] },
  from_absolute_uri: {
    text: 'http://hello.bitballoon.com/* http://www.hello.com/:splat',
    theirs: ['http://hello.bitballoon.com/* -> 301 http://www.hello.com/{0}'],
    ours: ['fault'],
    why: NO_HOST,
  },
  from_simple: { text: '/home              /', theirs: ['/home -> 301 /'] },
  invalid_dot_netlify_path: {
    text: '/.netlify/from /to',
    theirs: ['fault'],
    ours: ['/.netlify/from -> 301 /to'],
    why: 'the name has no meaning here; a path with a dot segment is 404 before any rule (S12)',
  },
  invalid_mistaken_headers: {
    text: '/backup/*\n    Basic-Auth: dev@terraeclipse.com:nud-feud-contour',
    theirs: ['fault', 'fault'],
  },
  invalid_no_slash: { text: '/\tindex.html\n/blog\tblog.html', theirs: ['fault', 'fault'] },
  invalid_no_to_no_status: { text: '/m/scge/legal', theirs: ['fault'] },
  invalid_no_to_query: { text: '/m/scge/legal source=:source', theirs: ['fault'] },
  invalid_no_to_status: { text: '/swfobject.html?detectflash=false 301', theirs: ['fault'] },
  invalid_status: { text: '/from /to not_a_status', theirs: ['fault'] },
  invalid_url: { text: 'http:// /to', theirs: ['fault'] },
  line_trim: { text: '  /home              /  ', theirs: ['/home -> 301 /'] },
  multiple_lines: {
    text: '/10thmagnitude   http://www.10thmagnitude.com/   301\n/bananastand     http://eepurl.com/Lgde5         301',
    theirs: ['/10thmagnitude -> 301 http://www.10thmagnitude.com/', '/bananastand -> 301 http://eepurl.com/Lgde5'],
  },
  proxy: {
    text: '/api/*  https://api.bitballoon.com/*   200',
    theirs: ['/api/* -> 200 https://api.bitballoon.com/*'],
    ours: ['fault'],
    why: NO_PROXY,
  },
  query: {
    text: '/      page=news      /news\n/blog  post=:post_id  /blog/:post_id\n/      _escaped_fragment_=/about    /about',
    theirs: [
      '/?page=news -> 301 /news',
      '/blog?post=:post_id -> 301 /blog/:post_id',
      '/?_escaped_fragment_=/about -> 301 /about',
    ],
    ours: ['fault', 'fault', 'fault'],
    why: NO_CONDITIONS,
  },
  signed: {
    text: '/api/*   https://api.example.com/:splat   200!  Sign=API_SECRET',
    theirs: ['!/api/* -> 200 https://api.example.com/{0} Sign=API_SECRET'],
    ours: ['fault'],
    why: NO_PROXY,
  },
  simple_multiple: { text: '/one /two\n/one /four', theirs: ['/one -> 301 /two', '/one -> 301 /four'] },
  status: {
    text: '/test https://www.bitballoon.com/test=hello 301',
    theirs: ['/test -> 301 https://www.bitballoon.com/test=hello'],
  },
  status_force: {
    text: '/test https://www.bitballoon.com/test=hello 301!',
    theirs: ['!/test -> 301 https://www.bitballoon.com/test=hello'],
  },
  to_anchor: {
    text: '/blog/my-post-ads.php  /blog/my-post#ads # this is a valid anchor with a comment',
    theirs: ['/blog/my-post-ads.php -> 301 /blog/my-post#ads'],
  },
  to_path_forward: {
    text: '/admin/* 200\n/admin/* 200!',
    theirs: ['/admin/* -> 200 /admin/{0}', '!/admin/* -> 200 /admin/{0}'],
    ours: ['fault', 'fault'],
    why: 'a line is `from to [code]` (S25)',
  },
  to_splat_force: {
    text: '/*  https://www.bitballoon.com/:splat 301!',
    theirs: ['!/* -> 301 https://www.bitballoon.com/{0}'],
  },
  to_splat_no_force: {
    text: '/*  https://www.bitballoon.com/:splat 301',
    theirs: ['/* -> 301 https://www.bitballoon.com/{0}'],
  },
};

/** cloudflare/workers-sdk packages/workers-shared/utils/tests/parseRedirects.{valid,invalid}.test.ts, MIT or Apache-2.0. */
export const CLOUDFLARE_REDIRECTS: Record<string, RedirectsFile> = {
  'a single rule': { text: '/a /b 301', theirs: ['/a -> 301 /b'] },
  'blank lines': { text: '\n/a /b 301\n', theirs: ['/a -> 301 /b'] },
  'white space': { text: '\n  /a /b 301\n', theirs: ['/a -> 301 /b'] },
  comments: { text: '\n  # This is a comment\n  /a /b 301\n  # And one here too.\n', theirs: ['/a -> 301 /b'] },
  'the code when none is given': { text: '/c /d', theirs: ['/c -> 302 /d'], ours: ['/c -> 301 /d'], why: CODE_301 },
  'a query in to': { text: '/a /b?query=string 302', theirs: ['/a -> 302 /b?query=string'] },
  'a query in from': {
    text: '/c?this=rejected /d 301',
    theirs: ['/c -> 301 /d'],
    ours: ['fault'],
    why: 'a rule must not act without its query (S30)',
  },
  'a port, a query and a fragment': {
    text: '/ext https://some.domain:1234/route?q=string#anchor 302',
    theirs: ['/ext -> 302 https://some.domain:1234/route?q=string#anchor'],
  },
  fragments: { text: '/a /b#blah 302', theirs: ['/a -> 302 /b#blah'] },
  'fragments with a hash sign': { text: '/a /b##blah-1 302', theirs: ['/a -> 302 /b##blah-1'] },
  'fragments with a hash sign in a URL': {
    text: '/a https://example.com/b##blah-1 302',
    theirs: ['/a -> 302 https://example.com/b##blah-1'],
  },
  'a rewrite': { text: '\t/a /b 200', theirs: ['/a -> 200 /b'] },
  'URLs that end in index.html': {
    text: '/foo https://bar.com/index.html 302',
    theirs: ['/foo -> 302 https://bar.com/index.html'],
  },
  'URLs with ports': {
    text: '/foo https://bar.com:123/index.html 302\n/cat https://cat.com:12345 302',
    theirs: ['/foo -> 302 https://bar.com:123/index.html', '/cat -> 302 https://cat.com:12345/'],
  },
  'a star to a path without an extension': { text: '/* /foo 200', theirs: ['/* -> 200 /foo'] },
  'one word, and four': { text: '/c\n/d /e 302 !important', theirs: ['fault', 'fault'] },
  'another code': { text: '/a /b 301\n/c /d 418', theirs: ['/a -> 301 /b', 'fault'] },
  'the same path twice': {
    text: '/a /b 301\n/b /a 301\n/a /c 301',
    theirs: ['/a -> 301 /b', '/b -> 301 /a', 'fault'],
    ours: ['/a -> 301 /b', '/b -> 301 /a', '/a -> 301 /c'],
    why: 'a later line acts if the first cannot (S26)',
  },
  'spaces in a path': { text: '/some page /somewhere else', theirs: ['fault'] },
  'escaped spaces': { text: '/some%20page /somewhere%20else 302', theirs: ['/some page -> 302 /somewhere else'] },
  'signs as they are': {
    text: '/://so;`me /nons:/&@%+~{}ense 302',
    theirs: ['/://so;`me -> 302 /nons:/&@%+~{}ense'],
    ours: ['fault'],
    why: 'an empty segment matches no path, and a single % is not an escape (S7, S9)',
  },
  'a URL as from': { text: 'https://yeah.com https://nah.com', theirs: ['fault'] },
  'a URL as to': { text: '/nah https://yeah.com 302', theirs: ['/nah -> 302 https://yeah.com/'] },
  'from without a slash': {
    text: 'yeah.com https://nah.com 302',
    theirs: ['/yeah.com -> 302 https://nah.com/'],
    ours: ['fault'],
    why: 'a host in from is a fault (S30), and this could be a host',
  },
  'a rewrite to another host': { text: '/a https://example.com/b 200', theirs: ['fault'] },
  'the fallback of a single page': {
    text: '/* /index.html 200',
    theirs: ['fault'],
    ours: ['/* -> 200 /index.html'],
    why: 'the file is served in place, without a redirect, so there is no loop (S25)',
  },
  'the front page to its file': {
    text: '/ /index.html 302',
    theirs: ['fault'],
    ours: ['/ -> 302 /index.html'],
    why: 'only a loop of literal rules gets a warning (S28)',
  },
};
