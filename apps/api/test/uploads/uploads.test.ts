import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { type BegunUpload, CONTENTS_TYPE, type CreatedDeployment, type ReceivedContents } from '@berth/contract';
import { abort, begin, bodyOf, commit, contentOf, publishDelta, send, sendMissing } from '@berth/testing/delta';
import { expectError, expectRefusal } from '@berth/testing/expectations';
import { OWNER_KEY } from '@berth/testing/requests';
import { startServer } from '@berth/testing/server';
import { listOf, sha256Of } from '@berth/testing/uploads';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';
import { readContents } from '../../src/api-host/contents-body.ts';

const server = useServer({ clean: { secrets: ['open sesame'] } });

const newContent = () => randomBytes(20).toString('hex');
const beginWith = async (files: Record<string, string>, options = {}) =>
  (await begin(server(), { files: listOf(files) }, options)).json<BegunUpload>();
const countMissing = async (upload: string, options = {}) =>
  (await send(server(), upload, Buffer.alloc(0), options)).json<ReceivedContents>().missing;

describe('api §9: a delta upload', () => {
  it('T20: publishes the same as a form, and repeats its response, while no log and no table contains its id', async () => {
    const files = { 'index.html': `<h1>${newContent()}</h1>`, 'a.css': newContent(), empty: '' };
    const begunUpload = await beginWith(files);
    expect((await sendMissing(server(), begunUpload, files)).json()).toEqual({ received: 3, missing: 0 });
    const [first, second] = [await commit(server(), begunUpload.upload), await commit(server(), begunUpload.upload)];
    expect([first.status, second.status, second.text]).toEqual([201, 201, first.text]);
    for (const [path, text] of Object.entries(files))
      expect(await server().visit(first.json<CreatedDeployment>().deployment, `/${path}`)).toMatchObject({
        status: 200,
        text,
      });
    server().secrets.add(begunUpload.upload);
  });

  it('is protected by its password, which is stored nowhere', async () => {
    const { deployment, password } = (
      await publishDelta(server(), { 'index.html': newContent() }, { password: 'open sesame' })
    ).json<CreatedDeployment>();
    expect([password, (await server().visit(deployment)).status]).toEqual([true, 401]);
  });

  it('T14: cannot be changed by a page of another site without a credential', async () => {
    const files = { 'index.html': '' };
    const { upload } = await beginWith(files, { key: null });
    const foreignRequest = { key: null, headers: { Origin: 'https://other.example' } };
    for (const sendRequest of [
      () => begin(server(), { files: listOf(files) }, foreignRequest),
      () => send(server(), upload, bodyOf(['']), foreignRequest),
      () => commit(server(), upload, foreignRequest),
      () => abort(server(), upload, foreignRequest),
    ])
      await expectRefusal(server(), 'forbidden', sendRequest);
    expect((await begin(server(), { files: listOf(files) }, { headers: foreignRequest.headers })).status).toBe(201);
    expect((await abort(server(), upload, { key: null })).status).toBe(200);
  });
});

describe('T4: the list of files of an upload', () => {
  const listOfLength = (length: number) =>
    Array.from({ length }, (_, i) => ({ path: `${i}-${'x'.repeat(120)}.html`, size: 0, sha256: sha256Of('') }));

  it('may contain as many files as the plan allows, alone and in a batch; other calls keep their usual limit', async () => {
    const files = listOfLength(20_000);
    expect(JSON.stringify({ files }).length).toBeGreaterThan(4e6);
    expect((await begin(server(), { files })).status).toBe(201);
    const sendBatch = (path: string) => server().api(path, { method: 'POST', json: { 0: { files }, 1: {} } });
    expect((await sendBatch('/trpc/deployments.begin,deployments.commit?batch=1')).text).toContain('"upload"');
    expect((await sendBatch('/trpc/tokens.create,deployments.commit?batch=1')).status).toBe(413);
    expectError(await server().api('/tokens', { method: 'POST', json: { files } }), 'payload_too_large');
  });

  it('is refused unread if it is longer than the plan allows', async () => {
    const { key } = await server().account('free');
    const { details } = expectError(
      await begin(server(), { files: listOfLength(20_000) }, { key }),
      'payload_too_large',
    );
    expect(details).toMatchObject({ limit: 'body' });
  });
});

describe('api §9: a body of contents', () => {
  it('is parsed in the same way however it is cut into chunks', async () => {
    const contents = ['one', '', 'three'.repeat(20), 'x'];
    const body = bodyOf(contents);
    for (let size = 1; size < 60; size += 1) {
      const parsed: string[] = [];
      async function* chunks() {
        for (let offset = 0; offset < body.length; offset += size) yield body.subarray(offset, offset + size);
      }
      await readContents(chunks(), {
        maxBytes: body.length,
        begin(sha256, length) {
          let text = '';
          return {
            write(chunk) {
              text += Buffer.from(chunk).toString();
              return undefined;
            },
            end: () => void parsed.push(`${sha256 === sha256Of(text)} ${length === text.length} ${text}`),
          };
        },
      });
      expect(parsed).toEqual(contents.map((text) => `true true ${text}`));
    }
  });

  it('is read no faster than it is consumed', async () => {
    const body = bodyOf(['x'.repeat(1_000)]);
    const sinkDrained = Promise.withResolvers<void>();
    const writeBegun = Promise.withResolvers<void>();
    let chunkCount = 0;
    async function* chunks() {
      for (let offset = 0; offset < body.length; offset += 100) {
        chunkCount += 1;
        yield body.subarray(offset, offset + 100);
      }
    }
    const contentsRead = readContents(chunks(), {
      maxBytes: body.length,
      begin: () => ({
        write() {
          writeBegun.resolve();
          return sinkDrained.promise;
        },
        end() {},
      }),
    });
    await writeBegun.promise;
    await new Promise(setImmediate);
    expect(chunkCount).toBe(1);
    sinkDrained.resolve();
    await contentsRead;
    expect(chunkCount).toBe(Math.ceil(body.length / 100));
  });

  it.each<[string, (content: string) => Buffer, Record<string, string>?]>([
    ['of another type', (content) => bodyOf([content]), { 'Content-Type': 'application/octet-stream' }],
    ['that is compressed', (content) => bodyOf([content]), { 'Content-Encoding': 'gzip' }],
    ['with an impossibly large length', (content) => contentOf(content, { length: 2n ** 64n - 1n })],
    ['that ends within a head', (content) => bodyOf([content]).subarray(0, 39)],
  ])('%s is refused and changes nothing', async (_, damage, headers = {}) => {
    const content = newContent();
    const { upload } = await beginWith({ content });
    await expectRefusal(server(), 'validation_failed', () => send(server(), upload, damage(content), { headers }));
  });

  it.each<[string, (body: Buffer) => Buffer]>([
    ['ends within a content', (body) => body.subarray(0, -1)],
    [
      'continues with a content that was not requested',
      (body) => Buffer.concat([body.subarray(0, 80), contentOf('no')]),
    ],
    ['contains other bytes', (body) => Buffer.concat([body.subarray(0, -1), Buffer.from('!')])],
  ])('that %s keeps the complete contents before the fault', async (_, damage) => {
    const files = { a: newContent(), b: newContent() };
    const { upload } = await beginWith(files);
    expectError(await send(server(), upload, damage(bodyOf([files.a, files.b]))), 'validation_failed');
    expect(await countMissing(upload)).toBe(1);
  });

  it.each([0.1, 0.5, 0.99])(
    'T6: aborted by the client after %d of its bytes keeps the complete contents, and the upload can be resumed',
    async (share) => {
      const files = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`${i}.txt`, newContent().repeat(2_000)]));
      const openedUpload = await beginWith(files);
      const body = bodyOf(Object.values(files));
      const cutPosition = Math.floor(body.length * share);
      const client = request({
        port: server().port,
        method: 'PUT',
        path: `/uploads/${openedUpload.upload}/contents`,
        headers: {
          Host: `localhost:${server().port}`,
          Authorization: `Bearer ${OWNER_KEY}`,
          'Content-Type': CONTENTS_TYPE,
          'Content-Length': body.length,
        },
      });
      client.on('error', () => {});
      client.write(body.subarray(0, cutPosition), () => client.destroy());
      const completeContents = Math.floor(cutPosition / (body.length / 60));
      await expect.poll(() => countMissing(openedUpload.upload)).toBe(60 - completeContents);
      await expect.poll(() => server().berth.core.activePacks.size).toBe(0);
      expect((await sendMissing(server(), openedUpload, files)).json()).toEqual({ received: 60, missing: 0 });
      expect((await commit(server(), openedUpload.upload)).status).toBe(201);
    },
  );
});

it('api §7: the rate limit of deploys is charged when an upload begins, but not for sending, resuming and committing', async () => {
  const limitedServer = await startServer({ env: { RATE_LIMITS: 'global=1000/min,deploy=2/h,anonymous=1/h' } });
  const files = { 'index.html': newContent() };
  const request = { headers: { 'Idempotency-Key': 'again' } };
  const limitedUpload = (await begin(limitedServer, { files: listOf(files) }, request)).json<BegunUpload>();
  await sendMissing(limitedServer, limitedUpload, files);
  for (let i = 0; i < 3; i += 1) {
    expect((await begin(limitedServer, { files: listOf(files) }, request)).status).toBe(201);
    expect((await commit(limitedServer, limitedUpload.upload)).status).toBe(201);
  }
  expect((await begin(limitedServer, { files: listOf(files) })).status).toBe(201);
  const refusedUpload = await begin(limitedServer, { files: listOf(files) });
  expectError(refusedUpload, 'rate_limit_exceeded');
  expect(Number(refusedUpload.headers['retry-after'])).toBeGreaterThan(0);
  const withoutCredential = { key: null };
  expect((await begin(limitedServer, { files: listOf(files) }, withoutCredential)).status).toBe(201);
  expectError(await begin(limitedServer, { files: listOf(files) }, withoutCredential), 'rate_limit_exceeded');
  await limitedServer.close();
});
