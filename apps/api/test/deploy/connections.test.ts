import { once } from 'node:events';
import { deployHead, file, type Form, multipart, withChecksums } from '@berth/testing/multipart';
import { open, parse, rawRequest } from '@berth/testing/raw-socket';
import { OWNER_KEY } from '@berth/testing/requests';
import { useServer } from '@berth/testing/use-server';
import { expect, it } from 'vitest';

let beforeNewPack: () => Promise<void> = async () => {};
const server = useServer({
  parts: ({ packs }) => ({ packs: { ...packs, create: (pack) => beforeNewPack().then(() => packs.create(pack)) } }),
  clean: true,
});

const OWNER = { Authorization: `Bearer ${OWNER_KEY}` };
const formOf = (text: string) => multipart(withChecksums([file('index.html', text)]));
const requestOf = (form: Form, headers: Record<string, string> = {}) =>
  Buffer.concat([Buffer.from(deployHead(server().port, form, { ...OWNER, ...headers })), form.body]);
const expectOpenPacks = () => expect.poll(() => server().berth.core.activePacks.size, { interval: 2 });
const statusesOf = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));

/** Sends pieces one by one, each after the response to the previous piece has begun. @returns Everything received. */
async function converse(...pieces: (Buffer | string)[]): Promise<string> {
  const { socket, received } = await open(server().port);
  for (const [i, piece] of pieces.entries()) {
    socket.write(piece);
    if (i < pieces.length - 1) await once(socket, 'data');
  }
  return received;
}

it('RFC 9112 §9.3: one connection serves valid deploys, refused deploys and other requests one after another', async () => {
  const text = await converse(
    requestOf(formOf('one')),
    requestOf({ ...formOf('two'), contentType: 'multipart/form-data; boundary=other' }),
    requestOf(multipart([])),
    `GET /ping HTTP/1.1\r\nHost: localhost:${server().port}\r\nAuthorization: ${OWNER.Authorization}\r\n\r\n`,
    requestOf(formOf('three'), { Connection: 'close' }),
  );
  expect(statusesOf(text)).toEqual([201, 400, 400, 200, 201]);
});

it('RFC 9112 §9.3.2: responses to pipelined deploys have the order of the requests', async () => {
  const { socket, received } = await open(server().port);
  socket.write(
    Buffer.concat([
      requestOf(formOf('1')),
      requestOf({ ...formOf('2'), body: Buffer.from('--berth-test-7d0a--') }),
      requestOf(formOf('3'), { Connection: 'close' }),
    ]),
  );
  expect(statusesOf(await received)).toEqual([201, 400, 201]);
});

it.each(['end', 'reset'] as const)('T6: a pipelined deploy aborted by %s releases its pack', async (leaving) => {
  const writesReleased = Promise.withResolvers<void>();
  beforeNewPack = () => writesReleased.promise;
  try {
    const { socket, received } = await open(server().port);
    const [first, second] = [requestOf(formOf(`held until a ${leaving}`)), requestOf(formOf('broken off'))];
    await new Promise<void>((sent) => void socket.write(Buffer.concat([first, second.subarray(0, -20)]), () => sent()));
    await expectOpenPacks().toBe(2);
    if (leaving === 'end') socket.destroy();
    else socket.resetAndDestroy();
    await received;
  } finally {
    writesReleased.resolve();
    beforeNewPack = async () => {};
  }
  await expectOpenPacks().toBe(0);
});

it('RFC 9110 §10.1.1: a client that waits for 100 Continue receives it', async () => {
  const form = formOf('continued');
  const text = await converse(
    deployHead(server().port, form, { ...OWNER, Expect: '100-continue', Connection: 'close' }),
    form.body,
  );
  expect(statusesOf(text)).toEqual([100, 201]);
});

it('RFC 9112 §7.1.2: chunk extensions and trailers are ignored', async () => {
  const form = formOf('trailed');
  const head = deployHead(server().port, form, { ...OWNER, Connection: 'close' }).replace(
    /Content-Length: \d+/,
    'Transfer-Encoding: chunked\r\nTrailer: Authorization, Origin',
  );
  const chunks = [form.body.subarray(0, 7), form.body.subarray(7)].map(
    (bytes) => `${bytes.length.toString(16)};x="y"\r\n${bytes.toString('latin1')}\r\n`,
  );
  const text = await converse(
    `${head}${chunks.join('')}0\r\nAuthorization: Bearer nonsense\r\nOrigin: https://evil.example\r\n\r\n`,
  );
  expect(statusesOf(text)).toEqual([201]);
});

it('HTTP/1.0 is supported, and a request without a length has no body', async () => {
  const { contentType, body } = formOf('old');
  const headers = [
    `Host: localhost:${server().port}`,
    `Content-Type: ${contentType}`,
    `Authorization: ${OWNER.Authorization}`,
  ];
  const length = `Content-Length: ${body.length}`;
  expect(
    (await rawRequest(server().port, 'POST /deployments HTTP/1.0', [...headers, length], body.toString())).status,
  ).toBe(201);
  expect((await rawRequest(server().port, 'POST /deployments HTTP/1.0', headers)).status).toBe(400);
});

it.each<[string, string[]]>([
  ['two lengths', ['Content-Length: 10', 'Content-Length: 20']],
  ['a length together with chunks', ['Content-Length: 10', 'Transfer-Encoding: chunked']],
  ['a negative length', ['Content-Length: -1']],
  ['a length in hex', ['Content-Length: 0x10']],
  ['a coding that is not chunked', ['Transfer-Encoding: gzip']],
  ['the coding chunked twice', ['Transfer-Encoding: chunked, chunked']],
  ['the coding chunked before another coding', ['Transfer-Encoding: chunked, gzip']],
])('RFC 9112 §6.3: a body with %s has no definite end, is refused, and its connection is closed', async (_, lines) => {
  const head = [`Host: localhost:${server().port}`, 'Content-Type: multipart/form-data; boundary=b', ...lines];
  const { status, headers, body } = parse(
    await converse(`POST /deployments HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n0\r\n\r\n`),
  );
  expect([status, JSON.parse(body).error, headers['connection']]).toEqual([400, 'validation_failed', 'close']);
});

it('RFC 9112 §7.1: a malformed chunk in the middle of a file ends the upload with 400', async () => {
  const form = formOf('x'.repeat(1000));
  const head = deployHead(server().port, form, OWNER).replace(/Content-Length: \d+/, 'Transfer-Encoding: chunked');
  const text = await converse(`${head}80\r\n${form.body.subarray(0, 0x80).toString('latin1')}\r\nnot-a-length\r\n`);
  expect(statusesOf(text)).toEqual([400]);
  await expectOpenPacks().toBe(0);
});
