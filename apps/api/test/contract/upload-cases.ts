import type { BegunUpload } from '@berth/contract';
import { abort, begin, bodyOf, commit, contentOf, send } from '@berth/testing/delta';
import { listOf } from '@berth/testing/uploads';
import { type Case, type Input, when } from './case.ts';
import type { World } from './world.ts';

const HELLO = { 'index.html': 'hello' };
const NO_UPLOAD = 'fedcba9876543210fedcba9876543210';

/** An upload of the account with a content that the server does not have. */
async function open(
  { server, ownAccount: mine }: World,
  key = mine.key,
): Promise<{ upload: string; contents: Buffer }> {
  const bytes = `content of ${crypto.randomUUID()}`;
  const begunUpload = await begin(server, { files: listOf({ 'index.html': bytes }) }, { key });
  return { upload: begunUpload.json<BegunUpload>().upload, contents: bodyOf([bytes]) };
}

/** An upload that only needs its commit. */
async function complete(world: World, key = world.ownAccount.key): Promise<string> {
  const { upload, contents } = await open(world, key);
  await send(world.server, upload, contents, { key });
  return upload;
}

const begins = (title: string, status: number, json: object, more: Partial<Input> = {}) =>
  when(title, status, () => ({ json, ...more }));

/** The cases of delta uploads. */
export const UPLOAD_CASES: Record<string, Case[]> = {
  'deployments.begin': [
    begins('every file', 201, { files: listOf(HELLO) }),
    begins('everything there is', 201, {
      files: listOf(HELLO),
      labels: ['one'],
      password: 'open sesame',
      via: 'cli',
      ttl: 60,
    }),
    when('a change of a deployment', 201, ({ site }) => ({
      json: { base: site, put: listOf({ 'b.html': 'b' }), remove: ['c.html'] },
    })),
    begins('every file, without a credential', 201, { files: listOf(HELLO) }, { key: null }),
    when('a repetition', 201, async ({ server, ownAccount: mine }) => {
      const headers = { 'Idempotency-Key': 'begun again' };
      await begin(server, { files: listOf(HELLO) }, { key: mine.key, headers });
      return { json: { files: listOf(HELLO) }, headers };
    }),
    when('another upload with the same key', 422, async ({ server, ownAccount: mine }) => {
      const headers = { 'Idempotency-Key': 'begun otherwise' };
      await begin(server, { files: listOf(HELLO) }, { key: mine.key, headers });
      return { json: { files: listOf({ 'index.html': 'other' }) }, headers };
    }),
    begins('no file', 400, { files: [] }),
    begins('a base without a change', 400, { base: 'calm-otter-zzzzzzz' }),
    begins('a base that is not there', 404, { base: 'calm-otter-zzzzzzz', put: [], remove: [] }),
    begins('a file that is refused', 400, { files: listOf({ ...HELLO, 'setup.exe': 'MZ' }) }),
    begins('ttl without a credential', 403, { files: listOf(HELLO), ttl: 60 }, { key: null }),
    begins(
      'a page of another site, without a credential',
      403,
      { files: listOf(HELLO) },
      { key: null, headers: { Origin: 'https://other.example' } },
    ),
    when('a deployment more than the plan holds', 403, ({ full }) => ({
      json: { files: listOf(HELLO) },
      key: full.key,
    })),
    begins('a file that is too large', 413, { files: listOf({ 'a.txt': 'x'.repeat(1_001) }) }, { key: null }),
    begins('too many files', 413, { files: listOf({ a: 'a', b: 'b', c: 'c' }) }, { key: null }),
  ],
  'deployments.contents': [
    when('what is missing', 200, async (world) => {
      const { upload, contents } = await open(world);
      return { path: { upload }, contents };
    }),
    when('bytes that differ from those announced', 400, async (world) => {
      const { upload, contents } = await open(world);
      const spoiled = Buffer.from(contents);
      spoiled[spoiled.length - 1]! ^= 1;
      return { path: { upload }, contents: spoiled };
    }),
    when('an upload that was committed', 422, async (world) => {
      const upload = await complete(world);
      await commit(world.server, upload, { key: world.ownAccount.key });
      return { path: { upload }, contents: contentOf('x') };
    }),
    when('an upload of another account', 404, async (world) => {
      const { upload, contents } = await open(world, world.otherAccount.key);
      return { path: { upload }, contents };
    }),
    when('what is not there', 404, () => ({ path: { upload: NO_UPLOAD }, contents: contentOf('x') })),
  ],
  'deployments.commit': [
    when('an upload', 201, async (world) => ({ path: { upload: await complete(world) } })),
    when('one that was committed', 201, async (world) => {
      const upload = await complete(world);
      await commit(world.server, upload, { key: world.ownAccount.key });
      return { path: { upload } };
    }),
    when('one whose contents are missing', 422, async (world) => ({ path: { upload: (await open(world)).upload } })),
    when('what is not there', 404, () => ({ path: { upload: NO_UPLOAD } })),
  ],
  'deployments.abort': [
    when('an upload', 200, async (world) => ({ path: { upload: (await open(world)).upload } })),
    when('one that was aborted', 404, async (world) => {
      const { upload } = await open(world);
      await abort(world.server, upload, { key: world.ownAccount.key });
      return { path: { upload } };
    }),
    when('one that was committed', 422, async (world) => {
      const upload = await complete(world);
      await commit(world.server, upload, { key: world.ownAccount.key });
      return { path: { upload } };
    }),
    when('an upload of another account', 404, async (world) => ({
      path: { upload: (await open(world, world.otherAccount.key)).upload },
    })),
    when('what is not there', 404, () => ({ path: { upload: NO_UPLOAD } })),
  ],
};
