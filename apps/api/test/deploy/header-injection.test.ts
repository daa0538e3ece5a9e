import { expectRefusal } from '@berth/testing/expectations';
import { deployHead, field, file, multipart, post, withChecksums } from '@berth/testing/multipart';
import { ask, open, parse } from '@berth/testing/raw-socket';
import { OWNER_KEY } from '@berth/testing/requests';
import { useServer } from '@berth/testing/use-server';
import { beforeAll, describe, expect, it } from 'vitest';

const server = useServer({ clean: true });

const ALWAYS = ['Connection', 'Content-Length', 'Date', 'X-Request-Id'];
const JSON_HEADERS = [
  ...ALWAYS,
  'Access-Control-Allow-Origin',
  'Access-Control-Expose-Headers',
  'Cache-Control',
  'Content-Type',
  'X-Content-Type-Options',
];
/** Texts that try to end a header or begin one. */
const INJECTIONS = [
  '\r\nX-Evil: 1',
  '\nX-Evil: 1',
  '\rX-Evil: 1',
  '\u0000X-Evil: 1',
  '\u2028X-Evil: 1',
  '\u0085X-Evil: 1',
  'é\u010d\u010aX-Evil: 1',
];

/** Sends a form over a raw socket and reads the raw answer. */
async function deployRaw(form: ReturnType<typeof multipart>, headers: Record<string, string> = {}) {
  const { socket, received } = await open(server().port);
  const all = { Authorization: `Bearer ${OWNER_KEY}`, Connection: 'close', ...headers };
  socket.write(Buffer.concat([Buffer.from(deployHead(server().port, form, all), 'latin1'), form.body]));
  return parse(await received);
}

function expectHeaders({ names }: { names: string[] }, wanted: string[]): void {
  expect(names.toSorted()).toEqual(wanted.toSorted());
}

describe('T9: an answer has exactly the expected headers', () => {
  it.each(INJECTIONS)('whatever the fields of a deploy contain: %j', async (injection) => {
    const answer = await deployRaw(
      multipart(withChecksums([file('index.html', 'home'), field('via', `cli${injection}`)])),
    );
    expect([answer.status, JSON.parse(answer.body).via]).toEqual([201, 'api']);
    expectHeaders(answer, JSON_HEADERS);
    for (const name of ['labels', 'ttl', 'checksums', `x${injection.replaceAll(/[\r\n\0]/g, '')}`]) {
      const refused = await deployRaw(multipart([file('index.html', 'home'), field(name, `["a${injection}"]`)]));
      expect(refused.status).toBe(400);
      expectHeaders(refused, JSON_HEADERS);
    }
  });

  it.each(INJECTIONS)('whatever the name of a file contains: %j', async (injection) => {
    const name = `filename*=UTF-8''a${encodeURIComponent(injection)}.txt`;
    const form = multipart(
      withChecksums([
        file('index.html', 'home'),
        { headers: [`Content-Disposition: form-data; name="files[]"; ${name}`], body: 'x' },
      ]),
    );
    const answer = await deployRaw(form);
    expect(answer.body).toContain(injection.includes('\u010d') ? '"files":2' : 'validation_failed');
    expectHeaders(answer, JSON_HEADERS);
  });

  it('whatever the key of a replay contains', async () => {
    const form = multipart(withChecksums([file('index.html', 'home')]));
    for (const wanted of [JSON_HEADERS, [...JSON_HEADERS, 'Idempotency-Replay']])
      expectHeaders(await deployRaw(form, { 'Idempotency-Key': 'é\u00a0\u0085%0d%0aX-Evil: 1' }), wanted);
  });

  it('whatever a request contains', async () => {
    const headers = [
      `Host: localhost:${server().port}`,
      `Authorization: Bearer ${OWNER_KEY}`,
      'X-Request-Id: evil',
      'Origin: https://evil.example',
    ];
    for (const path of ['/deployments/a', '/', '/deployments?cursor=', '/trpc/', '/config?']) {
      const { names } = await ask(server().port, `GET ${path}%0d%0aX-Evil:%201 HTTP/1.1`, headers);
      expect(names.join()).not.toMatch(/evil/i);
    }
  });
});

describe('T9, S13: a redirect of a site', () => {
  let site: string;
  beforeAll(async () => {
    const folders = ['häfen', "a 'b' (c)", 'a;b,c=d', '[x]', '…', '\u010d\u010aX-Evil: 1', '~!$&+@'];
    const answer = await post(
      server(),
      multipart(withChecksums(folders.map((folder) => file(`${folder}/index.html`, folder)))),
    );
    expect([answer.status, answer.text]).toEqual([201, expect.anything()]);
    site = answer.json<{ deployment: string }>().deployment;
  });

  it.each([
    ['/h%C3%A4fen', '/h%C3%A4fen/'],
    ['/ha%CC%88fen', '/h%C3%A4fen/'],
    ["/a%20'b'%20(c)", expect.stringMatching(/^\/a%20(?:'|%27)b(?:'|%27)%20(?:\(|%28)c(?:\)|%29)\/$/)],
    ['/%E2%80%A6', '/%E2%80%A6/'],
    ['/%C4%8D%C4%8AX-Evil%3A%201', expect.stringMatching(/^\/%C4%8D%C4%8AX-Evil(?::|%3A)%201\/$/)],
    ['/h%C3%A4fen?x=%0d%0aX-Evil:%201', '/h%C3%A4fen/?x=%0d%0aX-Evil:%201'],
  ])('from %s is encoded, and stays within its header', async (target, location) => {
    const answer = await ask(server().port, `GET ${target} HTTP/1.1`, [`Host: ${site}.localhost`]);
    expect([answer.status, answer.headers['location']]).toEqual([307, location]);
    expectHeaders(answer, [...ALWAYS, 'Location', 'Cache-Control', 'X-Content-Type-Options']);
  });
});

it('T9: bytes in a query that are not allowed in a URL are refused or encoded, never forwarded', async () => {
  const { deployment } = await server().publish({ 'a/index.html': 'x' });
  for (const byte of ['\x00', '\x01', '\t', '\x0b', '\x7f', '\xe9', '"', '<', '\\', '`'])
    for (const target of [`/a?x=${byte}y`, `/a${byte}`]) {
      const { status, headers } = await ask(server().port, `GET ${target} HTTP/1.1`, [`Host: ${deployment}.localhost`]);
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
