import { hash } from 'node:crypto';
import type { ErrorCode } from '@berth/contract';
import { expectRefusal } from '@berth/testing/expectations';
import { field, file, type Form, multipart, type Part, post, withChecksums } from '@berth/testing/multipart';
import { rawRequest } from '@berth/testing/raw-socket';
import type { HttpResponse } from '@berth/testing/requests';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';

const LIMITS = { maxFileSize: 1000, maxFilesCount: 3, maxTotalSize: 2500 };
/** The bounds that the server derives from the limits of the plan. */
const MAX_PARTS = 2 * LIMITS.maxFilesCount + 100;
const MAX_FIELD = 64 * 1024 + MAX_PARTS * 48;
const MAX_BODY = LIMITS.maxTotalSize + MAX_PARTS * 1536 + MAX_FIELD;

const server = useServer({ plans: { free: { limits: LIMITS } }, clean: true });

const anonymous = { key: null };
const fileOf = (name: string, size: number) => file(name, Buffer.alloc(size, name));
const junkFiles = (count: number, size = 1) => Array.from({ length: count }, (_, i) => fileOf(`${i}/.DS_Store`, size));
const deploy = (...parts: Part[]) => post(server(), multipart(withChecksums(parts)), anonymous);
/** Sends a form in chunks, without a Content-Length. */
async function deployChunked({ contentType, body }: Form): Promise<HttpResponse> {
  const count = Math.ceil(body.length / 8192);
  const chunks = Array.from({ length: count }, (_, i) => new Uint8Array(body.subarray(i * 8192, (i + 1) * 8192)));
  const response = await fetch(`http://localhost:${server().port}/deployments`, {
    method: 'POST',
    headers: { 'Content-Type': contentType },
    body: ReadableStream.from(chunks),
    duplex: 'half',
  } as RequestInit);
  const text = await response.text();
  const headers = Object.fromEntries(response.headers);
  return { status: response.status, headers, bytes: Buffer.from(text), text, json: () => JSON.parse(text) };
}
const tooLarge = async (details: object, request: () => Promise<HttpResponse>) =>
  expect((await expectRefusal(server(), 'payload_too_large', request)).details).toEqual(details);

describe('T4: the limit', () => {
  it('maxFilesCount is enforced even while the parser is ahead of the disk', async () => {
    const names = Array.from({ length: 300 }, (_, i) => fileOf(`${i}.txt`, 1));
    await tooLarge({ limit: 'maxFilesCount', max: 3 }, () => deploy(...names));
  });

  it('on parts accepts exactly the maximum, and refuses one more part', async () => {
    expect((await deploy(...junkFiles(MAX_PARTS - 1), fileOf('a', 1))).status).toBe(201);
    await tooLarge({ limit: 'maxFilesCount', max: 3 }, () => deploy(...junkFiles(MAX_PARTS), fileOf('a', 1)));
  });

  it('on the size of a field accepts exactly the maximum, and refuses one more byte', async () => {
    const checksumsOf = (length: number) => field('checksums', `["${hash('md5', 'home')}"]`.padEnd(length));
    expect((await post(server(), multipart([file('a', 'home'), checksumsOf(MAX_FIELD)]), anonymous)).status).toBe(201);
    await tooLarge({ limit: 'body', max: MAX_FIELD }, () =>
      post(server(), multipart([file('a', 'home'), checksumsOf(MAX_FIELD + 1)]), anonymous),
    );
  });

  describe('on the size of a body', () => {
    /** Creates a form of exactly this size from large part headers, which count as neither files nor fields. */
    function formOfSize(length: number): Form {
      const partsWithPadding = (padding: number) =>
        withChecksums([
          ...junkFiles(60, 1000).map((part) => ({
            ...part,
            headers: [...part.headers, `X-Padding: ${'x'.repeat(padding)}`],
          })),
          fileOf('a', 1),
        ]);
      const padding = Math.floor((length - multipart(partsWithPadding(0)).body.length) / 60);
      const missingBytes = length - multipart(partsWithPadding(padding)).body.length;
      return multipart(partsWithPadding(padding), { epilogue: `\r\n${'\n'.repeat(missingBytes)}` });
    }

    it.each<[string, (form: Form) => Promise<HttpResponse>]>([
      ['with a Content-Length', (form) => post(server(), form, anonymous)],
      ['in chunks', deployChunked],
    ])('accepts exactly the maximum, and refuses one more byte, %s', async (_, send) => {
      const [largestForm, tooLargeForm] = [formOfSize(MAX_BODY), formOfSize(MAX_BODY + 1)];
      expect([largestForm.body.length, tooLargeForm.body.length]).toEqual([MAX_BODY, MAX_BODY + 1]);
      expect((await send(largestForm)).status).toBe(201);
      await tooLarge({ limit: 'body', max: MAX_BODY }, () => send(tooLargeForm));
    });

    const announce = (length: string) =>
      rawRequest(server().port, 'POST /deployments HTTP/1.1', [
        `Host: localhost:${server().port}`,
        'Content-Type: multipart/form-data; boundary=b',
        `Content-Length: ${length}`,
      ]);

    it('refuses a larger Content-Length without reading the body', async () => {
      const response = await announce(String(MAX_BODY + 1));
      expect(response.status).toBe(413);
      expect(JSON.parse(response.body)).toMatchObject({ details: { limit: 'body', max: MAX_BODY } });
    });

    it.each([
      [15, [413]],
      [19, [400, 413]],
      [100, [400, 413]],
    ])('refuses a Content-Length of %i digits', async (digits, statuses) => {
      expect(statuses).toContain((await announce('9'.repeat(digits))).status);
    });
  });
});

describe('T4: a huge request', () => {
  const unreadablePart: Part = { headers: ['X: y'], body: '' };
  const tooMany = { limit: 'maxFilesCount', max: 3 };
  it.each<[string, Part[], ErrorCode, object | undefined]>([
    ['100,000 parts of junk', Array<Part>(100_000).fill(fileOf('.DS_Store', 1)), 'payload_too_large', tooMany],
    ['100,000 fields', Array<Part>(100_000).fill(field('via', 'x')), 'validation_failed', undefined],
    ['100,000 unreadable parts', Array<Part>(100_000).fill(unreadablePart), 'validation_failed', undefined],
    [
      'a field of 4 MB',
      [field('via', Buffer.alloc(4_000_000, 'x'))],
      'payload_too_large',
      { limit: 'body', max: MAX_FIELD },
    ],
    ['a file of 8 MB', [fileOf('a', 8_000_000)], 'payload_too_large', { limit: 'maxFileSize', max: 1000, file: 'a' }],
  ])('with %s is refused long before its end', async (_, parts, code, details) => {
    const form = multipart(parts);
    const body = await expectRefusal(server(), code, () => deployChunked(form));
    if (details) expect(body.details).toEqual(details);
    // A form with a Content-Length is refused unread.
    await tooLarge({ limit: 'body', max: MAX_BODY }, () => post(server(), form, anonymous));
  });
});

it('T4: Content-Encoding: identity is accepted', async () => {
  const form = multipart(withChecksums([fileOf('a', 1)]));
  expect((await post(server(), form, { ...anonymous, headers: { 'Content-Encoding': 'Identity' } })).status).toBe(201);
});
