import { expectRefusal } from '@berth/testing/expectations';
import {
  checksums,
  field,
  file,
  type Form,
  multipart,
  type Part,
  post,
  rawFile,
  withChecksums,
} from '@berth/testing/multipart';
import { OWNER_KEY } from '@berth/testing/requests';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';

const server = useServer({ clean: { secrets: ['open-sesame'] } });

const HOME = file('index.html', 'home');
const HOME_CHECKSUMS = '["106a6c241b8797f52e1e77317b96a201"]';
const expectInvalid = (form: Form) => expectRefusal(server(), 'validation_failed', () => post(server(), form));

describe('F1: a field in an unknown charset', () => {
  const unknownCharset = 'Content-Type: text/plain; charset=utf-7';
  it.each([
    ['checksums', HOME_CHECKSUMS],
    ['labels', '["one"]'],
    ['password', 'open-sesame'],
    ['via', 'cli'],
    ['ttl', '60'],
  ])('is refused instead of ignored: %s', async (name, value) => {
    const parts = [HOME, field(name, value, unknownCharset), ...(name === 'checksums' ? [] : [checksums('home')])];
    const { message } = await expectInvalid(multipart(parts));
    expect(message).toContain(name);
  });
});

describe('F3: a part that cannot be read', () => {
  const dispositions: [string, string[]][] = [
    ['an invalid filename*', [`Content-Disposition: form-data; name="NAME"; filename*=UTF-8''%zz`]],
    ['a filename* in an unknown charset', [`Content-Disposition: form-data; name="NAME"; filename*=x-none''a.txt`]],
    ['a filename* without its quotes', [`Content-Disposition: form-data; name="NAME"; filename*=a.txt`]],
    ['an open quote', [`Content-Disposition: form-data; name="NAME"; filename="a.txt`]],
    ['an open quote in its field name', [`Content-Disposition: form-data; name="NAME`]],
    ['an unquoted filename with a space', [`Content-Disposition: form-data; name="NAME"; filename=a b.txt`]],
    ['another disposition', [`Content-Disposition: attachment; name="NAME"; filename="a.txt"`]],
    ['no disposition', ['Content-Type: text/plain']],
    ['no header at all', []],
    ['an empty disposition', ['Content-Disposition:']],
    ['a disposition that ends in a semicolon', ['Content-Disposition: form-data; name="NAME";']],
  ];
  it.each(dispositions)('is never silently dropped: a file with %s', async (_, lines) => {
    const part = { headers: lines.map((line) => line.replace('NAME', 'files[]')), body: 'lost' };
    await expectInvalid(multipart([HOME, part, checksums('home')]));
    await expectInvalid(multipart([HOME, part, checksums('home', 'lost')]));
    await expectInvalid(multipart([part, HOME, checksums('home')]));
  });

  it.each(dispositions)('is never silently dropped: a password with %s', async (_, lines) => {
    const part = {
      headers: lines.map((line) => line.replace('NAME', 'password').replace(/; filename=.*/, '')),
      body: 'open-sesame',
    };
    if (lines[0]?.includes('filename=') && !lines[0].includes('attachment')) return;
    await expectInvalid(multipart([HOME, part, checksums('home')]));
  });

  it.each([
    ['a space', ' '],
    ['a tab', '\t'],
    ['text', 'x'],
    ['one dash', '-'],
    ['a bare CR', '\r'],
  ])('is never silently dropped: a password after a boundary line that ends in %s', async (_, padding) => {
    const { contentType, body } = multipart([HOME, field('password', 'open-sesame'), checksums('home')]);
    const text = body.toString('latin1').replace('\r\nContent-Disposition: form-data; name="password"', `${padding}$&`);
    await expectInvalid({ contentType, body: Buffer.from(text, 'latin1') });
  });
});

it.each<[string, string, string]>([
  ['an unknown field of 10,000 characters', `; name="${'x'.repeat(10_000)}"`, 'xxx'],
  ['a field with array brackets', '; name="labels[]"', 'labels[]'],
  ['files without brackets', '; name="files"', 'files'],
  ['a file in an unknown field', '; name="upload"; filename="a.txt"', 'upload'],
  ['a file in the field via', '; name="via"; filename="a.txt"', 'via'],
  ['a file in the field labels', '; name="labels"; filename="a.txt"', 'labels'],
  ['a file without a name for its field', '; filename="a.txt"', 'body'],
  ['a field without a name', '', 'name'],
  ['a field with an empty name', '; name=""', 'name'],
  ['files[] without a filename', '; name="files[]"', 'files[]'],
  ['files[] with an empty filename', '; name="files[]"; filename=""', 'files[]'],
  [
    'files[] without a filename, but with a type',
    '; name="files[]"; x=y\r\nContent-Type: application/octet-stream',
    'files[]',
  ],
])('api §3: the message of a refusal names the unexpected part of a form: %s', async (_, parameters, expectedName) => {
  const part = { headers: [`Content-Disposition: form-data${parameters}`], body: 'x' };
  const { message, details } = await expectInvalid(multipart([HOME, part, checksums('home')]));
  expect(message).toContain(expectedName);
  expect(details).toHaveProperty('issues');
  await expectInvalid(multipart([part, HOME, checksums('home', 'x')]));
});

describe('T8: a body that is not a well-formed form', () => {
  const validForm = multipart(withChecksums([HOME]));
  const parts = withChecksums([HOME]);
  const malformedForms: [string, Form][] = [
    ['an empty body', { ...validForm, body: Buffer.alloc(0) }],
    ['only a line end', { ...validForm, body: Buffer.from('\r\n') }],
    ['only the closing boundary', multipart([])],
    ['only a boundary', { ...validForm, body: Buffer.from('--berth-test-7d0a') }],
    ['a boundary that differs from the header', { ...validForm, contentType: 'multipart/form-data; boundary=other' }],
    ['the boundary in another case', { ...validForm, contentType: validForm.contentType.replace('test', 'TEST') }],
    ['no closing boundary', multipart(parts, { closed: false })],
    [
      'F2: an end inside a file',
      { ...validForm, body: validForm.body.subarray(0, validForm.body.indexOf('home') + 2) },
    ],
    [
      'F2: an end inside a large file',
      { ...validForm, body: multipart(withChecksums([file('a', Buffer.alloc(300_000))])).body.subarray(0, 250_000) },
    ],
    [
      'an end inside the headers of a part',
      { ...validForm, body: validForm.body.subarray(0, validForm.body.indexOf('filename')) },
    ],
    ['an end inside the closing boundary', { ...validForm, body: validForm.body.subarray(0, -5) }],
    ['lines that end in LF', multipart(parts, { eol: '\n' })],
    ['lines that end in CR', multipart(parts, { eol: '\r' })],
    [
      'part headers of 16 KiB and more',
      multipart(withChecksums([file('index.html', 'home', `X-Long: ${'x'.repeat(16 * 1024)}`)])),
    ],
    ['a header line without a colon', multipart(withChecksums([file('index.html', 'home', 'nonsense')]))],
    ['a header line that begins with a colon', multipart(withChecksums([file('index.html', 'home', ': nonsense')]))],
    ['a preamble', multipart(parts, { preamble: 'This is a multi-part message.\r\n' })],
    ['an epilogue', multipart(parts, { epilogue: '\r\nThe end.' })],
    ['a second form in the epilogue', { ...validForm, body: Buffer.concat([validForm.body, validForm.body]) }],
    ['a boundary of 500 characters', multipart(parts, { boundary: 'b'.repeat(500) })],
    ['the same boundary twice', { ...validForm, contentType: `${validForm.contentType}; boundary=berth-test-7d0a` }],
    ['application/x-www-form-urlencoded', { ...validForm, contentType: 'application/x-www-form-urlencoded' }],
    ['a boundary inside a file', multipart(withChecksums([file('index.html', 'home\r\n--berth-test-7d0a-and-more')]))],
    [
      'a whole part inside a file',
      multipart([file('index.html', 'a\r\n--berth-test-7d0a\r\n\r\nb'), checksums('a\r\n--berth-test-7d0a\r\n\r\nb')]),
    ],
    ['JSON', { ...validForm, body: Buffer.from('{}') }],
    ['100 KiB of noise', { ...validForm, body: Buffer.alloc(100 * 1024, 'noise\r\n--') }],
  ];
  it.each(malformedForms)('is refused: %s', async (_, form) => {
    await expectInvalid(form);
  });

  it('is refused if it has no Content-Type', async () => {
    await expectRefusal(server(), 'validation_failed', () =>
      server().api('/deployments', { method: 'POST', body: validForm.body }),
    );
    await expectRefusal(server(), 'validation_failed', () => server().api('/deployments', { method: 'POST' }));
  });

  it('is refused if files[] is a nested multipart/mixed', async () => {
    const innerForm = multipart([file('evil.txt', 'x')], { boundary: 'inner' });
    const nestedPart: Part = {
      headers: ['Content-Disposition: form-data; name="files[]"', 'Content-Type: multipart/mixed; boundary=inner'],
      body: innerForm.body,
    };
    await expectInvalid(multipart([HOME, nestedPart, checksums('home')]));
  });
});

describe('T8: a form that RFC 2046 and RFC 7578 allow', () => {
  const form = multipart(withChecksums([HOME]));
  const almostBoundary = '\r\n--berth-test-7d0\r\n-berth-test-7d0a\n--berth-test-7d0a\r\r\n--';
  it.each<[string, Form, string?]>([
    ['a quoted boundary', { ...form, contentType: 'multipart/form-data; boundary="berth-test-7d0a"' }],
    [
      'a quoted boundary with odd characters',
      {
        ...multipart(withChecksums([HOME]), { boundary: "a '()+_,-./:=?b" }),
        contentType: `multipart/form-data; boundary="a '()+_,-./:=?b"`,
      },
    ],
    ['a boundary of stars', multipart(withChecksums([HOME]), { boundary: '*****' })],
    ['a boundary of 70 characters', multipart(withChecksums([HOME]), { boundary: 'b'.repeat(70) })],
    ['a boundary of one character', multipart(withChecksums([HOME]), { boundary: '-' })],
    [
      'a charset before the boundary',
      { ...form, contentType: 'multipart/form-data; charset=utf-8; boundary=berth-test-7d0a' },
    ],
    ['an unknown charset after the boundary', { ...form, contentType: `${form.contentType}; charset=utf-7` }],
    ['a type in capitals', { ...form, contentType: 'Multipart/Form-Data;BOUNDARY=berth-test-7d0a' }],
    ['no line end after the closing boundary', multipart(withChecksums([HOME]), { epilogue: '' })],
    ['empty lines after the closing boundary', multipart(withChecksums([HOME]), { epilogue: '\r\n\r\n' })],
    ['a folded header', multipart(withChecksums([rawFile('\r\n filename="index.html"', 'home')]))],
    ['an empty field', multipart([field('via', ''), HOME, checksums('home')])],
    [
      'a field in another charset that says so',
      multipart([
        HOME,
        field('checksums', Buffer.from(HOME_CHECKSUMS, 'utf16le'), 'Content-Type: text/plain; charset=utf-16le'),
      ]),
    ],
    [
      'text in a file that resembles a boundary',
      multipart(withChecksums([file('index.html', almostBoundary)])),
      almostBoundary,
    ],
  ])('is accepted: %s', async (_, form, bytes = 'home') => {
    const response = await post(server(), form);
    expect([response.status, response.text]).toEqual([201, expect.stringContaining('"files":1,')]);
    expect((await server().visit(response.json<{ deployment: string }>().deployment)).text).toBe(bytes);
  });

  it('is accepted if it has no declared length and arrives in chunks of one byte', async () => {
    const { contentType, body } = multipart([HOME, field('password', 'open-sesame'), checksums('home')]);
    const response = await fetch(`http://localhost:${server().port}/deployments`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${OWNER_KEY}`, 'Content-Type': contentType },
      body: ReadableStream.from([...body].map((byte) => Uint8Array.of(byte))),
      duplex: 'half',
    } as RequestInit);
    expect([response.status, await response.json()]).toEqual([
      201,
      expect.objectContaining({ files: 1, password: true }),
    ]);
  });
});
