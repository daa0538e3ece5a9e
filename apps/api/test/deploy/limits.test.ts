import { hash } from 'node:crypto';
import type { ErrorCode } from '@berth/contract';
import { expectRefusal } from '@berth/testing/expectations';
import { field, file, type Form, multipart, type Part, post, withChecksums } from '@berth/testing/multipart';
import { ask } from '@berth/testing/raw-socket';
import type { Answer } from '@berth/testing/requests';
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
  const count = Math.ceil(body.length / 8192);
  const chunks = Array.from({ length: count }, (_, i) => new Uint8Array(body.subarray(i * 8192, (i + 1) * 8192)));
  const answer = await fetch(`http://localhost:${server().port}/deployments`, {
    method: 'POST',
    headers: { 'Content-Type': contentType },
    body: ReadableStream.from(chunks),
    duplex: 'half',
  } as RequestInit);
  const text = await answer.text();
  const headers = Object.fromEntries(answer.headers);
  return { status: answer.status, headers, bytes: Buffer.from(text), text, json: () => JSON.parse(text) };
}
const tooLarge = async (details: object, ask: () => Promise<Answer>) =>
  expect((await expectRefusal(server(), 'payload_too_large', ask)).details).toEqual(details);

describe('T4: exactly the limit is accepted, and one more is 413, for', () => {
  it('maxFilesCount, when the parser is ahead of the disk', async () => {
    const names = Array.from({ length: 300 }, (_, i) => fileOf(`${i}.txt`, 1));
    await tooLarge({ limit: 'maxFilesCount', max: 3 }, () => deploy(...names));
  });

  it('the maximum number of parts', async () => {
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

    const announce = (length: string) =>
      ask(server().port, 'POST /deployments HTTP/1.1', [
        `Host: localhost:${server().port}`,
        'Content-Type: multipart/form-data; boundary=b',
        `Content-Length: ${length}`,
      ]);

    it('a Content-Length above it is refused without reading', async () => {
      const answer = await announce(String(MAX_BODY + 1));
      expect(answer.status).toBe(413);
      expect(JSON.parse(answer.body)).toMatchObject({ details: { limit: 'body', max: MAX_BODY } });
    });

    it.each([
      [15, [413]],
      [19, [400, 413]],
      [100, [400, 413]],
    ])('a Content-Length of %i digits', async (digits, statuses) => {
      expect(statuses).toContain((await announce('9'.repeat(digits))).status);
    });
  });
});

describe('T4: a flood is refused long before it ends', () => {
  const unreadable: Part = { headers: ['X: y'], body: '' };
  const tooMany = { limit: 'maxFilesCount', max: 3 };
  it.each<[string, Part[], ErrorCode, object | undefined]>([
    ['100,000 parts of junk', Array<Part>(100_000).fill(fileOf('.DS_Store', 1)), 'payload_too_large', tooMany],
    ['100,000 fields', Array<Part>(100_000).fill(field('via', 'x')), 'validation_failed', undefined],
    ['100,000 unreadable parts', Array<Part>(100_000).fill(unreadable), 'payload_too_large', tooMany],
    [
      'a field of 4 MB',
      [field('via', Buffer.alloc(4_000_000, 'x'))],
      'payload_too_large',
      { limit: 'body', max: MAX_BODY },
    ],
    ['a file of 8 MB', [fileOf('a', 8_000_000)], 'payload_too_large', { limit: 'maxFileSize', max: 1000, file: 'a' }],
  ])('%s', async (_, parts, code, details) => {
    const form = multipart(parts);
    const body = await expectRefusal(server(), code, () => deployChunked(form));
    if (details) expect(body.details).toEqual(details);
    // With a Content-Length it is not even read.
    await tooLarge({ limit: 'body', max: MAX_BODY }, () => post(server(), form, anonymous));
  });
});

it('T4: Content-Encoding: identity is accepted', async () => {
  const form = multipart(withChecksums([fileOf('a', 1)]));
  expect((await post(server(), form, { ...anonymous, headers: { 'Content-Encoding': 'Identity' } })).status).toBe(201);
});
