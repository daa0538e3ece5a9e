import { createServer, type IncomingHttpHeaders } from 'node:http';
import { listen, open, stop } from '@berth/testing/raw-socket';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PlainRequest } from '../../src/http/plain-request.ts';

const LIMITS = { maxTargetBytes: 8 * 1024, maxHeadBytes: 16 * 1024 };
const FIELDS = ['accept', 'accept-encoding', 'accept-language', 'if-none-match', 'x-forwarded-for'] as const;

interface ReadRequest {
  method: string;
  target: string;
  fields: (string | undefined)[];
  keepsAlive: boolean;
}

/** Reads a text as a plain request. @returns `null` if it is not plain. */
function readPlain(text: string): ReadRequest | null {
  const request = new PlainRequest();
  const bytes = Buffer.from(text, 'latin1');
  if (request.read(bytes, 0, LIMITS) !== bytes.length) return null;
  const { method, target, host, keepsAlive } = request;
  return { method, target, fields: [host, ...FIELDS.map((name) => request.get(name))], keepsAlive };
}

const PLAIN = 'GET / HTTP/1.1\r\nHost: a.example\r\n\r\n';
const withField = (field: string) => `GET / HTTP/1.1\r\nHost: a.example\r\n${field}\r\n\r\n`;

describe('a plain request', () => {
  it('has a method, a target and the fields that matter, whatever their case and the space around them', () => {
    const text =
      'HEAD /a?b HTTP/1.1\r\nUser-Agent: x\r\nHOST:\t a.example:1 \r\naccept-Encoding: br\r\nConnection: Keep-Alive\r\n\r\n';
    const fields = ['a.example:1', undefined, 'br', undefined, undefined, undefined];
    expect(readPlain(text)).toEqual({ method: 'HEAD', target: '/a?b', fields, keepsAlive: true });
  });

  it('is followed by the next one, which begins where it ends', () => {
    const request = new PlainRequest();
    const bytes = Buffer.from(PLAIN + PLAIN.replace('/', '/second'));
    const end = request.read(bytes, 0, LIMITS);
    expect(end).toBe(PLAIN.length);
    expect(request.read(bytes, end, LIMITS)).toBe(bytes.length);
    expect(request.target).toBe('/second');
  });

  it('may ask to close the connection', () => {
    expect(readPlain(withField('Connection: close'))?.keepsAlive).toBe(false);
  });

  it.each<readonly [string, string]>([
    ['a part of a request', PLAIN.slice(0, -1)],
    ['another method', PLAIN.replace('GET', 'POST')],
    ['a method in lower case', PLAIN.replace('GET', 'get')],
    ['another version', PLAIN.replace('1.1', '1.0')],
    ['a target that is a URL', PLAIN.replace('/', 'http://a.example/')],
    ['a target with a fragment', PLAIN.replace('/', '/#a')],
    ['a target with a control character', PLAIN.replace('/', '/\x00')],
    ['a target that is not ASCII', PLAIN.replace('/', '/\xe9')],
    ['a target that is too long', PLAIN.replace('/', `/${'x'.repeat(LIMITS.maxTargetBytes)}`)],
    ['a head that is too long', withField(`X: ${'x'.repeat(LIMITS.maxHeadBytes)}`)],
    ['no host', 'GET / HTTP/1.1\r\n\r\n'],
    ['two hosts', withField('host: b.example')],
    ['a repeated field that matters', withField('Accept: a\r\nAccept: b')],
    ['a space after a name', withField('X : a')],
    ['a folded value', withField('X: a\r\n b')],
    ['a line that ends in LF', PLAIN.replaceAll('\r', '')],
    ['an empty line at its begin', `\r\n${PLAIN}`],
    ['a value with a control character', withField('X: a\x00')],
    ['a value that is not ASCII', withField('X: \xe9')],
    ...[
      'Content-Length: 0',
      'Transfer-Encoding: chunked',
      'Expect: 100-continue',
      'Upgrade: h2c',
      'Range: bytes=0-',
    ].map((field) => [`the field ${field}`, withField(field)] as const),
    ...[
      'If-Match: *',
      'If-Range: "a"',
      'TE: trailers',
      'Trailer: X',
      'Connection: upgrade',
      'Connection: close, te',
    ].map((field) => [`the field ${field}`, withField(field)] as const),
  ])('has not %s', (_, text) => {
    expect(readPlain(text)).toBeNull();
  });
});

describe('node:http', () => {
  let port = 0;
  let received: ((request: ReadRequest) => void) | null = null;
  const server = createServer({ requireHostHeader: false }, (req, res) => {
    const { host, connection } = req.headers;
    const valueOf = (name: keyof IncomingHttpHeaders) => req.headers[name] as string | undefined;
    received!({
      method: req.method!,
      target: req.url!,
      fields: [host, ...FIELDS.map(valueOf)],
      keepsAlive: connection?.toLowerCase() !== 'close',
    });
    res.end();
  });
  beforeAll(async () => {
    port = await listen(server);
  });
  afterAll(() => stop(server));

  const name = fc.constantFrom(
    'Host',
    'accept',
    'Accept-Encoding',
    'If-None-Match',
    'X-Forwarded-For',
    'Connection',
    'X',
  );
  const plain = fc.constantFrom('a', 'Z', '0', '"', ',', '/', '?', '%', ':', '~');
  const odd = fc.constantFrom(' ', '\t', '#', '\x7f', '\xe9', '\r', '\n');
  const character = fc.oneof({ weight: 30, arbitrary: plain }, { weight: 1, arbitrary: odd });
  const text = fc.string({ unit: character, maxLength: 12 });
  const value = fc.oneof(text, fc.constantFrom('close', 'keep-alive', 'a.example'));
  const request = fc
    .tuple(fc.constantFrom('GET', 'HEAD'), text, fc.array(fc.tuple(name, value), { maxLength: 5 }))
    .map(([method, path, fields]) =>
      [`${method} /${path} HTTP/1.1`, 'Host: a.example', ...fields.map((field) => field.join(': ')), '\r\n'].join(
        '\r\n',
      ),
    );

  it('T4: reads the same from every plain request', async () => {
    let plainCount = 0;
    await fc.assert(
      fc.asyncProperty(request, async (text) => {
        const plain = readPlain(text);
        if (plain === null) return;
        plainCount += 1;
        const { promise, resolve } = Promise.withResolvers<ReadRequest>();
        received = resolve;
        const { socket } = await open(port);
        socket.write(Buffer.from(text, 'latin1'));
        const failed = new Promise<null>((end) => void socket.once('close', () => end(null)));
        const read = await Promise.race([promise, failed]);
        socket.destroy();
        expect(read).toEqual(plain);
      }),
      { numRuns: 500 },
    );
    expect(plainCount).toBeGreaterThan(50);
  });
});
