import { hash } from 'node:crypto';
import type { ErrorCode } from '@berth/contract';
import { expectRefusal } from '@berth/testing/expectations';
import {
  checksums,
  deployHead,
  field,
  file,
  type Form,
  multipart,
  type Part,
  post,
  withChecksums,
} from '@berth/testing/multipart';
import { ask } from '@berth/testing/raw-socket';
import { type Answer, OWNER_KEY } from '@berth/testing/requests';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';

const LIMITS = { maxFileSize: 1000, maxFilesCount: 3, maxTotalSize: 2500 };
/** These values follow from the limits. */
const MAX_PARTS = 2 * LIMITS.maxFilesCount + 100;
const MAX_FIELD = 64 * 1024 + MAX_PARTS * 48;
const MAX_BODY = LIMITS.maxTotalSize + MAX_PARTS * 1536 + MAX_FIELD;

const server = useServer({ plans: { free: { limits: LIMITS } }, clean: true });

const anonymous = { key: null };
const fileOf = (name: string, size: number) => file(name, Buffer.alloc(size, name));
const junk = (count: number, size = 1) => Array.from({ length: count }, (_, i) => fileOf(`${i}/.DS_Store`, size));
const deploy = (...parts: Part[]) => post(server(), multipart(withChecksums(parts)), anonymous);
/** Sends a form without a Content-Length. */
async function deployChunked({ contentType, body }: Form): Promise<Answer> {
  const answer = await fetch(`http://localhost:${server().port}/deployments`, {
    method: 'POST',
    headers: { 'Content-Type': contentType },
    body: ReadableStream.from(
      Array.from(
        { length: Math.ceil(body.length / 8192) },
        (_, i) => new Uint8Array(body.subarray(i * 8192, (i + 1) * 8192)),
      ),
    ),
    duplex: 'half',
  } as RequestInit);
  const bytes = Buffer.from(await answer.arrayBuffer());
  return {
    status: answer.status,
    headers: Object.fromEntries(answer.headers),
    bytes,
    text: bytes.toString(),
    json: () => JSON.parse(bytes.toString()),
  };
}
const tooLarge = async (details: object, ask: () => Promise<Answer>) =>
  expect((await expectRefusal(server(), 'payload_too_large', ask)).details).toEqual(details);

describe('T4: exactly the limit is accepted, and one more is 413, for', () => {
  it('maxFileSize', async () => {
    expect((await deploy(fileOf('a.txt', 1000))).status).toBe(201);
    await tooLarge({ limit: 'maxFileSize', max: 1000, file: 'b.txt' }, () =>
      deploy(fileOf('a.txt', 1), fileOf('b.txt', 1001)),
    );
    await tooLarge({ limit: 'maxFileSize', max: 1000, file: 'a.txt' }, () => deploy(fileOf('a.txt', 100_000)));
  });

  it('maxFileSize of junk', async () => {
    await tooLarge({ limit: 'maxFileSize', max: 1000, file: '.DS_Store' }, () =>
      deploy(fileOf('a.txt', 1), fileOf('.DS_Store', 1001)),
    );
  });

  it('maxFilesCount', async () => {
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => fileOf(name, 1));
    expect((await deploy(a!, b!, c!)).json()).toMatchObject({ files: 3 });
    await tooLarge({ limit: 'maxFilesCount', max: 3 }, () => deploy(a!, b!, c!, d!));
    expect((await deploy(...junk(5), a!, b!, c!)).json()).toMatchObject({ files: 3, size: 3 });
  });

  it('maxFilesCount, when the parser is ahead of the disk', async () => {
    const names = Array.from({ length: 300 }, (_, i) => fileOf(`${i}.txt`, 1));
    await tooLarge({ limit: 'maxFilesCount', max: 3 }, () => deploy(...names));
  });

  it('maxTotalSize', async () => {
    expect((await deploy(fileOf('a', 1000), fileOf('b', 1000), fileOf('c', 500))).json()).toMatchObject({ size: 2500 });
    await tooLarge({ limit: 'maxTotalSize', max: 2500, file: 'c' }, () =>
      deploy(fileOf('a', 1000), fileOf('b', 1000), fileOf('c', 501)),
    );
    expect((await deploy(...junk(10, 900), fileOf('a', 1))).json()).toMatchObject({ files: 1, size: 1 });
  });

  it('the maximum number of parts, which includes junk', async () => {
    expect((await deploy(...junk(MAX_PARTS - 1), fileOf('a', 1))).status).toBe(201);
    await tooLarge({ limit: 'maxFilesCount', max: 3 }, () => deploy(...junk(MAX_PARTS), fileOf('a', 1)));
  });

  it('the maximum size of a field', async () => {
    const listOf = (length: number) => field('checksums', `["${hash('md5', 'home')}"]`.padEnd(length));
    expect((await post(server(), multipart([file('a', 'home'), listOf(MAX_FIELD)]), anonymous)).status).toBe(201);
    await tooLarge({ limit: 'body', max: MAX_FIELD }, () =>
      post(server(), multipart([file('a', 'home'), listOf(MAX_FIELD + 1)]), anonymous),
    );
  });

  describe('the maximum size of a body', () => {
    /** A form of this many bytes: large part headers, which count towards neither the files nor the fields. */
    function formOf(length: number): Form {
      const parts = (padding: number) =>
        withChecksums([
          ...junk(60, 1000).map((part) => ({
            ...part,
            headers: [...part.headers, `X-Padding: ${'x'.repeat(padding)}`],
          })),
          fileOf('a', 1),
        ]);
      const padding = Math.floor((length - multipart(parts(0)).body.length) / 60);
      const rest = length - multipart(parts(padding)).body.length;
      return multipart(parts(padding), { epilogue: `\r\n${'\n'.repeat(rest)}` });
    }

    it.each<[string, (form: Form) => Promise<Answer>]>([
      ['with a Content-Length', (form) => post(server(), form, anonymous)],
      ['in chunks', deployChunked],
    ])('%s', async (_, send) => {
      const [full, over] = [formOf(MAX_BODY), formOf(MAX_BODY + 1)];
      expect([full.body.length, over.body.length]).toEqual([MAX_BODY, MAX_BODY + 1]);
      expect((await send(full)).status).toBe(201);
      await tooLarge({ limit: 'body', max: MAX_BODY }, () => send(over));
    });

    it('a Content-Length above it is refused without reading', async () => {
      const head = deployHead(
        server().port,
        { contentType: 'multipart/form-data; boundary=b', body: Buffer.alloc(0) },
        { 'Content-Length': String(MAX_BODY + 1) },
      );
      const [requestLine = '', ...headers] = head.trimEnd().split('\r\n');
      const answer = await ask(server().port, requestLine, headers);
      expect([answer.status, JSON.parse(answer.body)]).toMatchObject([
        413,
        { details: { limit: 'body', max: MAX_BODY } },
      ]);
    });

    it.each([['9'.repeat(15)], ['9'.repeat(19)], ['9'.repeat(100)]])('a Content-Length of %s', async (length) => {
      const answer = await ask(server().port, 'POST /deployments HTTP/1.1', [
        `Host: localhost:${server().port}`,
        'Content-Type: multipart/form-data; boundary=b',
        `Content-Length: ${length}`,
      ]);
      expect([answer.status, JSON.parse(answer.body)]).toMatchObject(
        length.length < 19
          ? [413, { error: 'payload_too_large' }]
          : [expect.toSatisfy((status) => status === 400 || status === 413), {}],
      );
    });
  });
});

describe('T4: a flood is refused long before it ends', () => {
  const small: Part = { headers: ['Content-Disposition: form-data; name="files[]"; filename=".DS_Store"'], body: 'x' };
  const one: Part = field('via', 'x');
  it.each<[string, Part[], ErrorCode, object | undefined]>([
    [
      '100,000 parts of junk',
      Array<Part>(100_000).fill(small),
      'payload_too_large',
      { limit: 'maxFilesCount', max: 3 },
    ],
    ['100,000 fields', Array<Part>(100_000).fill(one), 'validation_failed', undefined],
    [
      '100,000 unreadable parts',
      Array<Part>(100_000).fill({ headers: ['X: y'], body: '' }),
      'payload_too_large',
      { limit: 'maxFilesCount', max: 3 },
    ],
    [
      'a field of 4 MB',
      [field('via', Buffer.alloc(4_000_000, 'x'))],
      'payload_too_large',
      { limit: 'body', max: MAX_BODY },
    ],
    ['a file of 8 MB', [fileOf('a', 8_000_000)], 'payload_too_large', { limit: 'maxFileSize', max: 1000, file: 'a' }],
  ])('%s', async (_, parts, code, details) => {
    const body = await expectRefusal(server(), code, () => deployChunked(multipart(parts)));
    if (details) expect(body.details).toEqual(details);
    // With a Content-Length it is not even read.
    await tooLarge({ limit: 'body', max: MAX_BODY }, () => post(server(), multipart(parts), anonymous));
  });
});

describe('T4: Content-Encoding', () => {
  it.each(['gzip', 'br', 'deflate', 'identity, gzip', 'x'])('%s is 400', async (encoding) => {
    const form = multipart(withChecksums([fileOf('a', 1)]));
    await expectRefusal(server(), 'validation_failed', () =>
      post(server(), form, { ...anonymous, headers: { 'Content-Encoding': encoding } }),
    );
  });

  it.each(['identity', 'Identity'])('%s is accepted', async (encoding) => {
    const form = multipart(withChecksums([fileOf('a', 1)]));
    expect((await post(server(), form, { ...anonymous, headers: { 'Content-Encoding': encoding } })).status).toBe(201);
  });
});

it('api §3: the limits are those of the plan, for each deploy; a larger plan accepts what Free refuses', async () => {
  const parts = [fileOf('a', 5000), fileOf('b', 1), fileOf('c', 1), fileOf('d', 1)];
  const { key, deployToken } = await server().account('free');
  const full = multipart(withChecksums([fileOf('a', 1000), fileOf('b', 1000), fileOf('c', 500)]));
  for (let twice = 0; twice < 2; twice += 1) expect((await post(server(), full, { key })).status).toBe(201);
  for (const credential of [key, deployToken])
    await tooLarge({ limit: 'maxFileSize', max: 1000, file: 'a' }, () =>
      post(server(), multipart(withChecksums(parts)), { key: credential }),
    );
  expect((await post(server(), multipart(withChecksums(parts)), { key: OWNER_KEY })).json()).toMatchObject({
    files: 4,
    size: 5003,
  });
  expect(
    (
      await post(server(), multipart([...parts, checksums(...parts.map(({ body }) => body))]), {
        key: (await server().account('pro')).key,
      })
    ).status,
  ).toBe(201);
});
