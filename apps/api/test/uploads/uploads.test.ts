import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { type BegunUpload, CONTENTS_TYPE, type CreatedDeployment, type ReceivedContents } from '@berth/contract';
import { abort, begin, bodyOf, commit, contentOf, publishDelta, send, sendMissing } from '@berth/testing/delta';
import { expectErrorAnswer, expectRefusal } from '@berth/testing/expectations';
import { OWNER_KEY } from '@berth/testing/requests';
import { startServer } from '@berth/testing/server';
import { listOf, sha256Of } from '@berth/testing/uploads';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';
import { readContents } from '../../src/api-host/contents-body.ts';

const server = useServer({ clean: { secrets: ['open sesame'] } });

const fresh = () => randomBytes(20).toString('hex');
const open = async (files: Record<string, string>, ask = {}) =>
  (await begin(server(), { files: listOf(files) }, ask)).json<BegunUpload>();
const missing = async (upload: string, ask = {}) =>
  (await send(server(), upload, Buffer.alloc(0), ask)).json<ReceivedContents>().missing;

describe('api §9: a delta upload', () => {
  it('T20: publishes the same as a form, with 201, repeats its answer byte for byte, and is named neither in the log nor in the database', async () => {
    const files = { 'index.html': `<h1>${fresh()}</h1>`, 'a.css': fresh(), empty: '' };
    const begunUpload = await open(files);
    expect((await sendMissing(server(), begunUpload, files)).json()).toEqual({ received: 3, missing: 0 });
    const [one, two] = [await commit(server(), begunUpload.upload), await commit(server(), begunUpload.upload)];
    expect([one.status, two.status, two.text]).toEqual([201, 201, one.text]);
    for (const [path, text] of Object.entries(files))
      expect(await server().visit(one.json<CreatedDeployment>().deployment, `/${path}`)).toMatchObject({
        status: 200,
        text,
      });
    server().secrets.add(begunUpload.upload);
  });

  it('is protected by its password, which is stored nowhere', async () => {
    const { deployment, password } = (
      await publishDelta(server(), { 'index.html': fresh() }, { password: 'open sesame' })
    ).json<CreatedDeployment>();
    expect([password, (await server().visit(deployment)).status]).toEqual([true, 401]);
  });

  it('T14: cannot be changed by a page of another site without a credential', async () => {
    const files = { 'index.html': '' };
    const { upload } = await open(files, { key: null });
    const foreign = { key: null, headers: { Origin: 'https://other.example' } };
    for (const ask of [
      () => begin(server(), { files: listOf(files) }, foreign),
      () => send(server(), upload, bodyOf(['']), foreign),
      () => commit(server(), upload, foreign),
      () => abort(server(), upload, foreign),
    ])
      await expectRefusal(server(), 'forbidden', ask);
    expect((await begin(server(), { files: listOf(files) }, { headers: foreign.headers })).status).toBe(201);
    expect((await abort(server(), upload, { key: null })).status).toBe(200);
  });
});

describe('T4: the list of files', () => {
  const listOfLength = (length: number) =>
    Array.from({ length }, (_, i) => ({ path: `${i}-${'x'.repeat(120)}.html`, size: 0, sha256: sha256Of('') }));

  it('may contain as many files as the plan allows, in a single call and in a batch; other calls keep their usual limit', async () => {
    const files = listOfLength(20_000);
    expect(JSON.stringify({ files }).length).toBeGreaterThan(4e6);
    expect((await begin(server(), { files })).status).toBe(201);
    const typed = (path: string) => server().api(path, { method: 'POST', json: { 0: { files }, 1: {} } });
    expect((await typed('/trpc/deployments.begin,deployments.commit?batch=1')).text).toContain('"upload"');
    expect((await typed('/trpc/tokens.create,deployments.commit?batch=1')).status).toBe(413);
    expectErrorAnswer(await server().api('/tokens', { method: 'POST', json: { files } }), 'payload_too_large');
  });

  it('is refused unread when it is longer', async () => {
    const { key } = await server().account('free');
    const { details } = expectErrorAnswer(
      await begin(server(), { files: listOfLength(20_000) }, { key }),
      'payload_too_large',
    );
    expect(details).toMatchObject({ limit: 'body' });
  });
});

describe('api §9: a body of contents', () => {
  it('can be cut into any chunks', async () => {
    const contents = ['one', '', 'three'.repeat(20), 'x'];
    const body = bodyOf(contents);
    for (let size = 1; size < 60; size += 1) {
      const read: string[] = [];
      async function* chunks() {
        for (let at = 0; at < body.length; at += size) yield body.subarray(at, at + size);
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
            end: () => void read.push(`${sha256 === sha256Of(text)} ${length === text.length} ${text}`),
          };
        },
      });
      expect(read).toEqual(contents.map((text) => `true true ${text}`));
    }
  });

  it('is read no faster than it is consumed', async () => {
    const body = bodyOf(['x'.repeat(1_000)]);
    const drained = Promise.withResolvers<void>();
    const waiting = Promise.withResolvers<void>();
    let acceptedCount = 0;
    async function* chunks() {
      for (let at = 0; at < body.length; at += 100) {
        acceptedCount += 1;
        yield body.subarray(at, at + 100);
      }
    }
    const reading = readContents(chunks(), {
      maxBytes: body.length,
      begin: () => ({
        write() {
          waiting.resolve();
          return drained.promise;
        },
        end() {},
      }),
    });
    await waiting.promise;
    await new Promise(setImmediate);
    expect(acceptedCount).toBe(1);
    drained.resolve();
    await reading;
    expect(acceptedCount).toBe(Math.ceil(body.length / 100));
  });

  it.each<[string, (content: string) => Buffer, Record<string, string>?]>([
    ['of another type', (content) => bodyOf([content]), { 'Content-Type': 'application/octet-stream' }],
    ['that is compressed', (content) => bodyOf([content]), { 'Content-Encoding': 'gzip' }],
    ['with an impossibly large length', (content) => contentOf(content, { length: 2n ** 64n - 1n })],
    ['that ends within a head', (content) => bodyOf([content]).subarray(0, 39)],
  ])('%s is refused, and nothing has changed', async (_, spoil, headers = {}) => {
    const content = fresh();
    const { upload } = await open({ content });
    await expectRefusal(server(), 'validation_failed', () => send(server(), upload, spoil(content), { headers }));
  });

  it.each<[string, (body: Buffer) => Buffer]>([
    ['ends within a content', (body) => body.subarray(0, -1)],
    [
      'continues with a content that was not requested',
      (body) => Buffer.concat([body.subarray(0, 80), contentOf('no')]),
    ],
    ['contains other bytes', (body) => Buffer.concat([body.subarray(0, -1), Buffer.from('!')])],
  ])('that %s leaves the complete contents before it', async (_, spoil) => {
    const files = { a: fresh(), b: fresh() };
    const { upload } = await open(files);
    expectErrorAnswer(await send(server(), upload, spoil(bodyOf([files.a, files.b]))), 'validation_failed');
    expect(await missing(upload)).toBe(1);
  });

  it.each([0.1, 0.5, 0.99])(
    'T6: aborted by the client at %d keeps what arrived completely, and the rest can follow',
    async (share) => {
      const files = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`${i}.txt`, fresh().repeat(2_000)]));
      const openedUpload = await open(files);
      const body = bodyOf(Object.values(files));
      const cut = Math.floor(body.length * share);
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
      client.write(body.subarray(0, cut), () => client.destroy());
      const whole = Math.floor(cut / (body.length / 60));
      await expect.poll(() => missing(openedUpload.upload)).toBe(60 - whole);
      await expect.poll(() => server().berth.core.activePacks.size).toBe(0);
      expect((await sendMissing(server(), openedUpload, files)).json()).toEqual({ received: 60, missing: 0 });
      expect((await commit(server(), openedUpload.upload)).status).toBe(201);
    },
  );
});

describe('api §7: the rate limit of deploys', () => {
  it('is charged when an upload begins; sending, resuming and committing are not charged', async () => {
    const limited = await startServer({ env: { RATE_LIMITS: 'global=1000/min,deploy=2/h,anonymous=1/h' } });
    const files = { 'index.html': fresh() };
    const again = { headers: { 'Idempotency-Key': 'again' } };
    const limitedUpload = (await begin(limited, { files: listOf(files) }, again)).json<BegunUpload>();
    await sendMissing(limited, limitedUpload, files);
    for (let i = 0; i < 3; i += 1) {
      expect((await begin(limited, { files: listOf(files) }, again)).status).toBe(201);
      expect((await commit(limited, limitedUpload.upload)).status).toBe(201);
    }
    expect((await begin(limited, { files: listOf(files) })).status).toBe(201);
    const refused = await begin(limited, { files: listOf(files) });
    expectErrorAnswer(refused, 'rate_limit_exceeded');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    const withoutCredential = { key: null };
    expect((await begin(limited, { files: listOf(files) }, withoutCredential)).status).toBe(201);
    expectErrorAnswer(await begin(limited, { files: listOf(files) }, withoutCredential), 'rate_limit_exceeded');
    await limited.close();
  });
});
