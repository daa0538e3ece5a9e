import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type S3Stub, startS3Stub } from '@berth/testing/s3-stub';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createInstallation, findProblems, type Installation, whileServing } from './installations.ts';
import { runBerth } from './run-berth.ts';

const FILES = { 'index.html': 'moved', 'large.bin': randomBytes(6_000_000) };

let stub: S3Stub;
let folder: string;
beforeAll(async () => {
  stub = await startS3Stub();
  folder = await mkdtemp(join(tmpdir(), 'berth-move-'));
});
afterAll(async () => {
  await stub.close();
  await rm(folder, { recursive: true });
});

const installations: Installation[] = [];
afterEach(async () => {
  for (const installation of installations.splice(0)) await installation.remove();
});

/** Creates an empty installation. @param prefix The prefix in the bucket; `null` for packs on the disk. @param more Further variables. */
async function install(prefix: string | null, more: Record<string, string> = {}): Promise<Installation> {
  const installation = await createInstallation();
  installations.push(installation);
  const store = prefix !== null && { STORAGE_URL: stub.url.replace('/sites', `/${prefix}`), ...stub.env };
  return { ...installation, env: { ...installation.env, ...store, ...more } };
}

async function succeed({ env }: Installation, ...words: string[]): Promise<void> {
  expect(await runBerth(env, ...words)).toMatchObject({ code: 0, err: '' });
}

describe('api §12, §14: backup and restore', () => {
  it.each([
    ['from the disk to a bucket', null, 'from-disk'],
    ['from a bucket to the disk', 'to-disk', null],
    ['from a bucket to a bucket', 'here', 'there'],
  ])('move an installation %s', async (_, from, to) => {
    // The key of the backup becomes that of the new installation, which has none.
    const [source, target] = [await install(from, { SECRET_KEY: 'ab'.repeat(32) }), await install(to)];
    const { deployment } = await whileServing(source, async (client) => client.publish(FILES));
    const file = join(folder, `${from}.tar`);
    await succeed(source, 'backup', file);
    await succeed(target, 'restore', file);
    await whileServing(target, async ({ visit }) => {
      expect((await visit(deployment)).text).toBe(FILES['index.html']);
      expect((await visit(deployment, '/large.bin')).bytes.equals(FILES['large.bin'])).toBe(true);
    });
    expect(await findProblems(target)).toEqual([]);
    // The installation has taken the bucket, so that no other one can use it.
    if (to === null) return;
    const { code, err } = await runBerth((await install(to)).env, 'restore', file);
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringContaining('An installation uses the bucket of STORAGE_URL'),
    });
  });
});
