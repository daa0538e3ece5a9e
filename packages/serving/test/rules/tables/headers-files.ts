/** A `_headers` file, its meaning in the original suite, and, if Berth differs, its meaning here and the reason. */
export interface HeadersFile {
  text: string;
  /** The blocks in order, then `fault` for each warning. */
  theirs: string[];
  ours?: string[];
  why?: string;
}

const NO_HOST = 'rules apply to every host of the site (S30)';

/** netlify/build packages/headers-parser/tests/fixtures/headers_file, MIT. */
export const NETLIFY_HEADERS: Record<string, HeadersFile> = {
  comment: { text: '/path\n  # comment\n  test: one', theirs: ['/path: test=one'] },
  duplicate: { text: '/path\n  test: one\n\n/path\n  test: three', theirs: ['/path: test=one', '/path: test=three'] },
  empty: { text: '', theirs: [] },
  empty_line: { text: '/path\n\n  test: one', theirs: ['/path: test=one'] },
  invalid_for_order: { text: '  test: one\n/path', theirs: ['fault'] },
  invalid_value_name: { text: '/path\n  : one', theirs: ['fault'] },
  invalid_value_string: { text: '/path\n  test:', theirs: ['fault'] },
  multiple_values: { text: '/path\n  test: one\n  test: two', theirs: ['/path: test=one test=two'] },
  no_colon: {
    text: '/path\n  test = one',
    theirs: [],
    ours: ['fault'],
    why: 'a line that the parser cannot read gets a warning (S23)',
  },
  trim_line_path: { text: '  /path', theirs: [] },
  trim_line_values: { text: '/path\ntest: one', theirs: ['/path: test=one'] },
  trim_name: { text: '/path\n  test : one', theirs: ['/path: test=one'] },
  trim_value: { text: '/path\n  test:   one', theirs: ['/path: test=one'] },
};

/** cloudflare/workers-sdk packages/workers-shared/utils/tests/parseHeaders.{valid,invalid}.test.ts, MIT or Apache-2.0. */
export const CLOUDFLARE_HEADERS: Record<string, HeadersFile> = {
  'a single rule': { text: '/a\n  Name: Value', theirs: ['/a: Name=Value'] },
  'an exclamation mark in a name': { text: '/a\n  !Name: Value', theirs: ['/a: !Name=Value'] },
  'blank lines': { text: '\n/a\n\nName: Value\n\n', theirs: ['/a: Name=Value'] },
  'white space': { text: '\n                /a\n    Name         :           Value\n', theirs: ['/a: Name=Value'] },
  comments: {
    text: '\n  # This is a comment\n  /a\n  # And one here too.\n  Name: Value\n',
    theirs: ['/a: Name=Value'],
  },
  'cookies, set twice': {
    text: '/a\n  Set-Cookie: test=cookie; expires=never\n  Set-Cookie: another=cookie; magic!\n/b\n  A: ABBA\n  B: BABA',
    theirs: ['/a: Set-Cookie=test=cookie; expires=never, another=cookie; magic!', '/b: A=ABBA B=BABA'],
    ours: ['/b: A=ABBA B=BABA', 'fault', 'fault'],
    why: 'Set-Cookie is reserved (S35)',
  },
  hosts: {
    text: 'https://example.com/blog\n  c: c\n/blog\n  d:d\nhttps://:subdomain.example.*/path\n  e:e',
    theirs: ['https://example.com/blog: c=c', '/blog: d=d', 'https://:subdomain.example.*/path: e=e'],
    ours: ['/blog: d=d', 'fault', 'fault'],
    why: NO_HOST,
  },
  removal: { text: '/a\n  Name: Value\n  ! Place', theirs: ['/a: Name=Value -Place'] },
  'several stars': {
    text: '/a/*/b/*/c/*\n  Test: value',
    theirs: ['fault', 'fault'],
    ours: ['fault'],
    why: 'there is one warning for the path and its headers',
  },
  'lines before the first path': {
    text: '  # A single token before a path\n  c\n  # A header before a path\n  Access-Control-Allow-Origin: *',
    theirs: ['fault', 'fault'],
  },
  'faulty headers': {
    text: "/a\n  Name:       Value\n#\n/b\n  I'm invalid!\n  !x-content-type\n  But: I'm okay!\n  ! Content-Type: application/json",
    theirs: ['/a: Name=Value', "/b: But=I'm okay!", 'fault', 'fault', 'fault'],
  },
  'a path with spaces': { text: '/some page with spaces\n  valid: yup', theirs: ['/some page with spaces: valid=yup'] },
  'a path with escapes': { text: '/some%20page\n  valid: yup', theirs: ['/some page: valid=yup'] },
  'signs as they are': {
    text: '/://so;`me\n  valid: yup\n/nons:/&@%+~{}ense\n  valid: yup',
    theirs: ['/://so;`me: valid=yup', '/nons:/&@%+~{}ense: valid=yup'],
    ours: ['fault', 'fault'],
    why: 'an empty segment matches no path, and a single % is not an escape (S7, S9)',
  },
  'two slashes': {
    text: '//yeah.com/blog\n  valid: things',
    theirs: ['//yeah.com/blog: valid=things'],
    ours: ['fault'],
    why: 'a path with two slashes is never served in place (S9)',
  },
  'other schemes and ports': {
    text: 'http://nah.com/blog\n  invalid: things\nhttps://nah.com:8080\n  invalid: also',
    theirs: ['fault', 'fault', 'fault', 'fault'],
    ours: ['fault', 'fault'],
    why: 'there is one warning for the path and its headers',
  },
  'lone words and colons': {
    text: '/yeah\n  valid: yup\n  nah.com\n  :\n  test:',
    theirs: ['/yeah: valid=yup', 'fault', 'fault', 'fault'],
  },
};
