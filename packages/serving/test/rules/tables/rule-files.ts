/**
 * A rule file: what it tests, its text, its meaning in the original suite and, if Berth differs, its meaning here and the reason.
 *
 * A meaning is the list of rules, joined by ` | `, with `!` before a forced rule, and `fault` for a line that is rejected.
 */
type RuleFile =
  | readonly [title: string, text: string, theirs: string]
  | readonly [title: string, text: string, theirs: string, ours: string, why: string];

const NO_CONDITIONS = 'conditions and query parameters are faults, because a rule must not act without them (S30)';
const NO_SCHEME = 'the scheme of a host does not count (S30)';
const NO_PROXY = 'no proxying (S30)';
const CODE_301 = 'the code is 301 when none is given (S25)';

/** Cases of netlify/build, packages/redirect-parser/tests/fixtures/redirects_file. Licence: MIT. */
export const NETLIFY_REDIRECTS: readonly RuleFile[] = [
  [
    'comment_inline',
    '/blog/my-post.php  /blog/my-post # this is just an old leftover',
    '/blog/my-post.php -> 301 /blog/my-post',
  ],
  ['conditions_country', '/  /china 302 Country=ch,tw', '/ -> 302 /china Country=ch,tw', 'fault', NO_CONDITIONS],
  [
    'conditions_role',
    '/admin/*  /admin/:splat 200 Role=admin',
    '/admin/* -> 200 /admin/{0} Role=admin',
    'fault',
    NO_CONDITIONS,
  ],
  ['empty', '', ''],
  ['empty_line', '/one /two\n\n/three /four\n', '/one -> 301 /two | /three -> 301 /four'],
  [
    'from_absolute_uri',
    'http://hello.bitballoon.com/* http://www.hello.com/:splat',
    'http://hello.bitballoon.com/* -> 301 http://www.hello.com/{0}',
    '//hello.bitballoon.com/* -> 301 http://www.hello.com/{0}',
    NO_SCHEME,
  ],
  ['from_simple', '/home              /', '/home -> 301 /'],
  [
    'invalid_dot_netlify_path',
    '/.netlify/from /to',
    'fault',
    '/.netlify/from -> 301 /to',
    'the name has no meaning here; a path with a dot segment is 404 before any rule (S12)',
  ],
  ['invalid_mistaken_headers', '/backup/*\n    Basic-Auth: dev@terraeclipse.com:nud-feud-contour', 'fault | fault'],
  ['invalid_no_slash', '/\tindex.html\n/blog\tblog.html', 'fault | fault'],
  ['invalid_no_to_no_status', '/m/scge/legal', 'fault'],
  ['invalid_no_to_status', '/swfobject.html?detectflash=false 301', 'fault'],
  ['invalid_status', '/from /to not_a_status', 'fault'],
  ['invalid_url', 'http:// /to', 'fault'],
  [
    'proxy',
    '/api/*  https://api.bitballoon.com/*   200',
    '/api/* -> 200 https://api.bitballoon.com/*',
    'fault',
    NO_PROXY,
  ],
  [
    'query',
    '/      page=news      /news\n/blog  post=:post_id  /blog/:post_id\n/      _escaped_fragment_=/about    /about',
    '/?page=news -> 301 /news | /blog?post=:post_id -> 301 /blog/:post_id | /?_escaped_fragment_=/about -> 301 /about',
    'fault | fault | fault',
    NO_CONDITIONS,
  ],
  ['simple_multiple', '/one /two\n/one /four', '/one -> 301 /two | /one -> 301 /four'],
  [
    'status_force',
    '/test https://www.bitballoon.com/test=hello 301!',
    '!/test -> 301 https://www.bitballoon.com/test=hello',
  ],
  [
    'to_anchor',
    '/blog/my-post-ads.php  /blog/my-post#ads # this is a valid anchor with a comment',
    '/blog/my-post-ads.php -> 301 /blog/my-post#ads',
  ],
  [
    'to_path_forward',
    '/admin/* 200\n/admin/* 200!',
    '/admin/* -> 200 /admin/{0} | !/admin/* -> 200 /admin/{0}',
    'fault | fault',
    'a line is `from to [code]` (S25)',
  ],
  ['to_splat_force', '/*  https://www.bitballoon.com/:splat 301!', '!/* -> 301 https://www.bitballoon.com/{0}'],
];

/** Cases of parseRedirects.{valid,invalid}.test.ts in cloudflare/workers-sdk. Licence: MIT or Apache-2.0. */
export const CLOUDFLARE_REDIRECTS: readonly RuleFile[] = [
  ['the code when none is given', '/c /d', '/c -> 302 /d', '/c -> 301 /d', CODE_301],
  ['a query in to', '/a /b?query=string 302', '/a -> 302 /b?query=string'],
  [
    'a query in from',
    '/c?this=rejected /d 301',
    '/c -> 301 /d',
    'fault',
    'a rule must not act without its query (S30)',
  ],
  [
    'a port, a query and a fragment',
    '/ext https://some.domain:1234/route?q=string#anchor 302',
    '/ext -> 302 https://some.domain:1234/route?q=string#anchor',
  ],
  ['fragments', '/a /b#blah 302', '/a -> 302 /b#blah'],
  ['fragments with a hash sign', '/a /b##blah-1 302', '/a -> 302 /b##blah-1'],
  ['a rewrite', '\t/a /b 200', '/a -> 200 /b'],
  [
    'URLs with ports',
    '/foo https://bar.com:123/index.html 302\n/cat https://cat.com:12345 302',
    '/foo -> 302 https://bar.com:123/index.html | /cat -> 302 https://cat.com:12345/',
  ],
  ['one word, and four', '/c\n/d /e 302 !important', 'fault | fault'],
  ['another code', '/a /b 301\n/c /d 418', '/a -> 301 /b | fault'],
  [
    'the same path twice',
    '/a /b 301\n/b /a 301\n/a /c 301',
    '/a -> 301 /b | /b -> 301 /a | fault',
    '/a -> 301 /b | /b -> 301 /a | /a -> 301 /c',
    'a later line acts if the first cannot (S26)',
  ],
  ['spaces in a path', '/some page /somewhere else', 'fault'],
  ['escaped spaces', '/some%20page /somewhere%20else 302', '/some page -> 302 /somewhere else'],
  [
    'signs as they are',
    '/://so;`me /nons:/&@%+~{}ense 302',
    '/://so;`me -> 302 /nons:/&@%+~{}ense',
    'fault',
    'an empty segment matches no path, and a single % is not an escape (S7, S9)',
  ],
  [
    'a URL as from',
    'https://yeah.com https://nah.com',
    'fault',
    '//yeah.com/ -> 301 https://nah.com/',
    'a rule can apply to one host only (S30)',
  ],
  [
    'from without a slash',
    'yeah.com https://nah.com 302',
    '/yeah.com -> 302 https://nah.com/',
    'fault',
    'this could be a host, and a host must start with https:// (S30)',
  ],
  ['a rewrite to another host', '/a https://example.com/b 200', 'fault'],
  [
    'the fallback of a single page',
    '/* /index.html 200',
    'fault',
    '/* -> 200 /index.html',
    'the file is served in place, without a redirect, so there is no loop (S25)',
  ],
  [
    'the front page to its file',
    '/ /index.html 302',
    'fault',
    '/ -> 302 /index.html',
    'only a loop of literal rules gets a warning (S28)',
  ],
];

/** Cases of netlify/build, packages/headers-parser/tests/fixtures/headers_file. Licence: MIT. */
export const NETLIFY_HEADERS: readonly RuleFile[] = [
  ['comment', '/path\n  # comment\n  test: one', '/path: test=one'],
  ['duplicate', '/path\n  test: one\n\n/path\n  test: three', '/path: test=one | /path: test=three'],
  ['empty', '', ''],
  ['empty_line', '/path\n\n  test: one', '/path: test=one'],
  ['invalid_for_order', '  test: one\n/path', 'fault'],
  ['invalid_value_name', '/path\n  : one', 'fault'],
  ['invalid_value_string', '/path\n  test:', 'fault'],
  ['multiple_values', '/path\n  test: one\n  test: two', '/path: test=one test=two'],
  ['no_colon', '/path\n  test = one', '', 'fault', 'a line that the parser cannot read gets a warning (S23)'],
  ['trim_line_values', '/path\ntest: one', '/path: test=one'],
  ['trim_name', '/path\n  test : one', '/path: test=one'],
  ['trim_value', '/path\n  test:   one', '/path: test=one'],
];

/** Cases of parseHeaders.{valid,invalid}.test.ts in cloudflare/workers-sdk. Licence: MIT or Apache-2.0. */
export const CLOUDFLARE_HEADERS: readonly RuleFile[] = [
  ['an exclamation mark in a name', '/a\n  !Name: Value', '/a: !Name=Value'],
  [
    'cookies, set twice',
    '/a\n  Set-Cookie: test=cookie; expires=never\n  Set-Cookie: another=cookie; magic!\n/b\n  A: ABBA\n  B: BABA',
    '/a: Set-Cookie=test=cookie; expires=never, another=cookie; magic! | /b: A=ABBA B=BABA',
    '/b: A=ABBA B=BABA | fault | fault',
    'Set-Cookie is reserved (S35)',
  ],
  [
    'hosts',
    'https://example.com/blog\n  c: c\n/blog\n  d:d\nhttps://:subdomain.example.*/path\n  e:e',
    'https://example.com/blog: c=c | /blog: d=d | https://:subdomain.example.*/path: e=e',
    '//example.com/blog: c=c | /blog: d=d | fault',
    'the last label of a host must be written out (S30)',
  ],
  ['removal', '/a\n  Name: Value\n  ! Place', '/a: Name=Value -Place'],
  [
    'several stars',
    '/a/*/b/*/c/*\n  Test: value',
    'fault | fault',
    'fault',
    'there is one warning for the path and its headers',
  ],
  [
    'lines before the first path',
    '  # A single token before a path\n  c\n  # A header before a path\n  Access-Control-Allow-Origin: *',
    'fault | fault',
  ],
  [
    'faulty headers',
    "/a\n  Name:       Value\n#\n/b\n  I'm invalid!\n  !x-content-type\n  But: I'm okay!\n  ! Content-Type: application/json",
    "/a: Name=Value | /b: But=I'm okay! | fault | fault | fault",
  ],
  ['a path with spaces', '/some page with spaces\n  valid: yup', '/some page with spaces: valid=yup'],
  ['a path with escapes', '/some%20page\n  valid: yup', '/some page: valid=yup'],
  [
    'signs as they are',
    '/://so;`me\n  valid: yup\n/nons:/&@%+~{}ense\n  valid: yup',
    '/://so;`me: valid=yup | /nons:/&@%+~{}ense: valid=yup',
    'fault | fault',
    'an empty segment matches no path, and a single % is not an escape (S7, S9)',
  ],
  [
    'two slashes',
    '//yeah.com/blog\n  valid: things',
    '//yeah.com/blog: valid=things',
    'fault',
    'a path with two slashes is never served in place (S9)',
  ],
  [
    'other schemes and ports',
    'http://nah.com/blog\n  invalid: things\nhttps://nah.com:8080\n  invalid: also',
    'fault | fault | fault | fault',
    '//nah.com/blog: invalid=things | fault',
    'the scheme of a host does not count, and there is one warning for the path and its headers (S30)',
  ],
  ['lone words and colons', '/yeah\n  valid: yup\n  nah.com\n  :\n  test:', '/yeah: valid=yup | fault | fault | fault'],
];
