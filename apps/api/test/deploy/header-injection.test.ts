import { expectRefusal } from '@berth/testing/expectations';
import { deployHead, field, file, multipart, post, withChecksums } from '@berth/testing/multipart';
import { open, parse, rawRequest } from '@berth/testing/raw-socket';
import { OWNER_KEY } from '@berth/testing/requests';
import { useServer } from '@berth/testing/use-server';
import { beforeAll, describe, expect, it } from 'vitest';

const server = useServer({ clean: true });

const COMMON_HEADERS = ['Connection', 'Content-Length', 'Date', 'X-Request-Id'];
const JSON_HEADERS = [
  ...COMMON_HEADERS,
  'Access-Control-Allow-Origin',
  'Access-Control-Expose-Headers',
  'Cache-Control',
  'Content-Type',
  'X-Content-Type-Options',
];
/** Texts that try to end a header or to begin another one. */
const INJECTIONS = [
  '\r\nX-Evil: 1',
  '\nX-Evil: 1',
  '\rX-Evil: 1',
  '\u0000X-Evil: 1',
  '\u2028X-Evil: 1',
  '\u0085X-Evil: 1',
  'é\u010d\u010aX-Evil: 1',
];

async function deployRaw(form: ReturnType<typeof multipart>, headers: Record<string, string> = {}) {
  const { socket, received } = await open(server().port);
  const allHeaders = { Authorization: `Bearer ${OWNER_KEY}`, Connection: 'close', ...headers };
  socket.write(Buffer.concat([Buffer.from(deployHead(server().port, form, allHeaders), 'latin1'), form.body]));
  return parse(await received);
}

function expectHeaders({ names }: { names: string[] }, expected: string[]): void {
  expect(names.toSorted()).toEqual(expected.toSorted());
}

describe('T9: a response has exactly the expected headers', () => {
  it.each(INJECTIONS)('even if a field of the deploy contains %j', async (injection) => {
    const response = await deployRaw(
      multipart(withChecksums([file('index.html', 'home'), field('via', `cli${injection}`)])),
    );
    expect([response.status, JSON.parse(response.body).via]).toEqual([201, 'api']);
    expectHeaders(response, JSON_HEADERS);
    for (const name of ['labels', 'ttl', 'checksums', `x${injection.replaceAll(/[\r\n\0]/g, '')}`]) {
      const refusedDeploy = await deployRaw(multipart([file('index.html', 'home'), field(name, `["a${injection}"]`)]));
      expect(refusedDeploy.status).toBe(400);
      expectHeaders(refusedDeploy, JSON_HEADERS);
    }
  });

  it.each(INJECTIONS)('even if a file name contains %j', async (injection) => {
    const name = `filename*=UTF-8''a${encodeURIComponent(injection)}.txt`;
    const form = multipart(
      withChecksums([
        file('index.html', 'home'),
        { headers: [`Content-Disposition: form-data; name="files[]"; ${name}`], body: 'x' },
      ]),
    );
    const response = await deployRaw(form);
    expect(response.body).toContain(injection.includes('\u010d') ? '"files":2' : 'validation_failed');
    expectHeaders(response, JSON_HEADERS);
  });

  it('even if the idempotency key of a replay contains an injection', async () => {
    const form = multipart(withChecksums([file('index.html', 'home')]));
    for (const expected of [JSON_HEADERS, [...JSON_HEADERS, 'Idempotency-Replay']])
      expectHeaders(await deployRaw(form, { 'Idempotency-Key': 'é\u00a0\u0085%0d%0aX-Evil: 1' }), expected);
  });

  it('even if the path and the headers of the request contain an injection', async () => {
    const headers = [
      `Host: localhost:${server().port}`,
      `Authorization: Bearer ${OWNER_KEY}`,
      'X-Request-Id: evil',
      'Origin: https://evil.example',
    ];
    for (const path of ['/deployments/a', '/', '/deployments?cursor=', '/trpc/', '/config?']) {
      const { names } = await rawRequest(server().port, `GET ${path}%0d%0aX-Evil:%201 HTTP/1.1`, headers);
      expect(names.join()).not.toMatch(/evil/i);
    }
  });
});

describe('T9, S13: a redirect of a site', () => {
  let siteId: string;
  beforeAll(async () => {
    const folders = ['häfen', "a 'b' (c)", 'a;b,c=d', '[x]', '…', '\u010d\u010aX-Evil: 1', '~!$&+@'];
    const response = await post(
      server(),
      multipart(withChecksums(folders.map((folder) => file(`${folder}/index.html`, folder)))),
    );
    expect([response.status, response.text]).toEqual([201, expect.anything()]);
    siteId = response.json<{ deployment: string }>().deployment;
  });

  it.each([
    ['/h%C3%A4fen', '/h%C3%A4fen/'],
    ['/ha%CC%88fen', '/h%C3%A4fen/'],
    ["/a%20'b'%20(c)", expect.stringMatching(/^\/a%20(?:'|%27)b(?:'|%27)%20(?:\(|%28)c(?:\)|%29)\/$/)],
    ['/%E2%80%A6', '/%E2%80%A6/'],
    ['/%C4%8D%C4%8AX-Evil%3A%201', expect.stringMatching(/^\/%C4%8D%C4%8AX-Evil(?::|%3A)%201\/$/)],
    ['/h%C3%A4fen?x=%0d%0aX-Evil:%201', '/h%C3%A4fen/?x=%0d%0aX-Evil:%201'],
  ])('from %s has an encoded Location that contains no other header', async (target, location) => {
    const response = await rawRequest(server().port, `GET ${target} HTTP/1.1`, [`Host: ${siteId}.localhost`]);
    expect([response.status, response.headers['location']]).toEqual([307, location]);
    expectHeaders(response, [...COMMON_HEADERS, 'Location', 'Cache-Control', 'X-Content-Type-Options']);
  });
});

it('T9: bytes that a URL must not contain are refused or encoded in a redirect', async () => {
  const { deployment } = await server().publish({ 'a/index.html': 'x' });
  for (const byte of ['\x00', '\x01', '\t', '\x0b', '\x7f', '\xe9', '"', '<', '\\', '`'])
    for (const target of [`/a?x=${byte}y`, `/a${byte}`]) {
      const { status, headers } = await rawRequest(server().port, `GET ${target} HTTP/1.1`, [
        `Host: ${deployment}.localhost`,
      ]);
      expect([307, 400, 404]).toContain(status);
      expect(headers['location'] ?? '').toMatch(/^[\x21-\x7e]*$/);
    }
});

it('T9: an error message contains input only as JSON text', async () => {
  const { message } = await expectRefusal(server(), 'validation_failed', () =>
    server().deploy({ 'index.html': 'home' }, { fields: { '<script>alert(1)</script>': '"\\' } }),
  );
  expect(message).toContain('<script>');
});
