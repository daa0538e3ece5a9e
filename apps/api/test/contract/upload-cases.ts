import type { BegunUpload } from '@berth/contract';
import { abort, begin, bodyOf, commit, contentOf, send } from '@berth/testing/delta';
import type { Files } from '@berth/testing/requests';
import { listOf } from '@berth/testing/uploads';
import { type Case, type Input, caseOf } from './case.ts';
import type { World } from './world.ts';

const HELLO = { 'index.html': 'hello' };
const MISSING_UPLOAD = 'fedcba9876543210fedcba9876543210';

/** Begins an upload with a content that the server does not have. */
async function openUpload(
  { server, ownAccount: mine }: World,
  key = mine.key,
): Promise<{ upload: string; contents: Buffer }> {
  const bytes = `content of ${crypto.randomUUID()}`;
  const begunUpload = await begin(server, { files: listOf({ 'index.html': bytes }) }, { key });
  return { upload: begunUpload.json<BegunUpload>().upload, contents: bodyOf([bytes]) };
}

/** Begins an upload and sends its contents, so that only the commit is missing. */
async function completeUpload(world: World, key = world.ownAccount.key): Promise<string> {
  const { upload, contents } = await openUpload(world, key);
  await send(world.server, upload, contents, { key });
  return upload;
}

const committedUpload = (status: number, extra: Input = {}) =>
  caseOf('An upload that was committed', status, async (world) => {
    const upload = await completeUpload(world);
    await commit(world.server, upload, { key: world.ownAccount.key });
    return { path: { upload }, ...extra };
  });
const foreignUpload = (extra: Input = {}) =>
  caseOf('An upload of another account', 404, async (world) => {
    const { upload } = await openUpload(world, world.otherAccount.key);
    return { path: { upload }, ...extra };
  });
const missingUpload = (extra: Input = {}) =>
  caseOf('An upload that does not exist', 404, { path: { upload: MISSING_UPLOAD }, ...extra });

const beginCase = (title: string, status: number, json: object, extra: Input = {}) =>
  caseOf(title, status, { json, ...extra });
/** Begins an upload of {@link HELLO}, and then begins one of `files` with the same idempotency key. */
const repeatCase = (title: string, status: number, idempotencyKey: string, files: Files) =>
  caseOf(title, status, async ({ server, ownAccount: mine }) => {
    const headers = { 'Idempotency-Key': idempotencyKey };
    await begin(server, { files: listOf(HELLO) }, { key: mine.key, headers });
    return { json: { files: listOf(files) }, headers };
  });

export const UPLOAD_CASES: Record<string, Case[]> = {
  'deployments.begin': [
    beginCase('Every file', 201, { files: listOf(HELLO) }),
    beginCase('All fields', 201, {
      files: listOf(HELLO),
      labels: ['one'],
      password: 'open sesame',
      via: 'cli',
      ttl: 60,
    }),
    caseOf('Changes to a deployment', 201, ({ site }) => ({
      json: { base: site, put: listOf({ 'b.html': 'b' }), remove: ['c.html'] },
    })),
    caseOf('With a domain', 201, ({ freshName }) => ({ json: { files: listOf(HELLO), domain: freshName() } })),
    caseOf('A domain of another account', 422, ({ theirDomain }) => ({
      json: { files: listOf(HELLO), domain: theirDomain },
    })),
    beginCase('Every file, without a credential', 201, { files: listOf(HELLO) }, { key: null }),
    repeatCase('A repeated request', 201, 'begun again', HELLO),
    repeatCase('An Idempotency-Key that was used', 422, 'begun otherwise', { 'index.html': 'other' }),
    caseOf('A base that was taken down', 422, ({ takenDownSite }) => ({
      json: { base: takenDownSite, put: [], remove: ['c.html'] },
    })),
    caseOf('A password from a deploy token for a protected base', 422, ({ site, ownAccount: mine }) => ({
      json: { base: site, put: [], remove: [], password: 'open sesame' },
      key: mine.deployToken,
    })),
    caseOf('Too many open uploads', 429, async ({ server }) => {
      const { key } = await server.account('pro');
      for (let count = 0; count < 20; count += 1) await begin(server, { files: listOf(HELLO) }, { key });
      return { json: { files: listOf(HELLO) }, key };
    }),
    caseOf('The storage of the plan', 403, ({ thrifty }) => ({ json: { files: listOf(HELLO) }, key: thrifty.key })),
    beginCase('No files', 400, { files: [] }),
    beginCase('A base without changes', 400, { base: 'calm-otter-zzzzzzz' }),
    beginCase('A base that does not exist', 404, { base: 'calm-otter-zzzzzzz', put: [], remove: [] }),
    beginCase('A file that is refused', 400, { files: listOf({ ...HELLO, 'setup.exe': 'MZ' }) }),
    beginCase('A ttl without a credential', 403, { files: listOf(HELLO), ttl: 60 }, { key: null }),
    caseOf('A page of another site, without a credential', 403, {
      json: { files: listOf(HELLO) },
      key: null,
      headers: { Origin: 'https://other.example' },
    }),
    caseOf('A cap of the plan', 403, ({ full }) => ({ json: { files: listOf(HELLO) }, key: full.key })),
    beginCase('A file that is too large', 413, { files: listOf({ 'a.txt': 'x'.repeat(1_001) }) }, { key: null }),
    beginCase('Too many files', 413, { files: listOf({ a: 'a', b: 'b', c: 'c' }) }, { key: null }),
  ],
  'deployments.contents': [
    caseOf('Missing contents', 200, async (world) => {
      const { upload, contents } = await openUpload(world);
      return { path: { upload }, contents };
    }),
    caseOf('A content with other bytes', 400, async (world) => {
      const { upload, contents } = await openUpload(world);
      const changedContents = Buffer.from(contents);
      changedContents[changedContents.length - 1]! ^= 1;
      return { path: { upload }, contents: changedContents };
    }),
    committedUpload(422, { contents: contentOf('x') }),
    caseOf('More than the missing contents', 413, async (world) => {
      const { upload, contents } = await openUpload(world);
      return { path: { upload }, contents: Buffer.concat([contents, contents]) };
    }),
    foreignUpload({ contents: contentOf('x') }),
    missingUpload({ contents: contentOf('x') }),
  ],
  'deployments.commit': [
    caseOf('An upload', 201, async (world) => ({ path: { upload: await completeUpload(world) } })),
    committedUpload(201),
    caseOf('A cap of the plan', 403, async (world) => {
      const { key } = await world.server.account('free');
      const upload = await completeUpload(world, key);
      await world.server.publish(HELLO, { key });
      return { path: { upload }, key };
    }),
    caseOf('Contents that are missing', 422, async (world) => ({ path: { upload: (await openUpload(world)).upload } })),
    missingUpload(),
  ],
  'deployments.abort': [
    caseOf('An upload', 200, async (world) => ({ path: { upload: (await openUpload(world)).upload } })),
    caseOf('An upload that was aborted', 404, async (world) => {
      const { upload } = await openUpload(world);
      await abort(world.server, upload, { key: world.ownAccount.key });
      return { path: { upload } };
    }),
    committedUpload(422),
    foreignUpload(),
    missingUpload(),
  ],
};
