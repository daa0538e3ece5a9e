import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sweep } from '@berth/core/jobs';
import { closeClean, expectError, expectRefusal } from '@berth/testing/expectations';
import type { PackFile } from '@berth/testing/internals';
import { startServer, type TestServer } from '@berth/testing/server';
import { useServer } from '@berth/testing/use-server';
import { zipOf } from '@berth/testing/zip-bytes';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const LARGE_FILES = { 'index.html': 'home', 'a.bin': randomBytes(1_300_000), 'b.bin': randomBytes(900_000) };
const SMALL_FILES = { 'index.html': 'home' };

function fault(code: string): never {
  throw Object.assign(new Error(`${code}: a fault of the test`), { code, errno: -1, syscall: 'write' });
}

function databaseFault(code: string): never {
  throw Object.assign(new Error('The database does not answer.'), { code });
}

describe('T10: a store that fails', () => {
  let faults: { create?(): void; file?(file: PackFile): Partial<PackFile>; remove?(): void } = {};
  const server = useServer({
    parts: ({ packs }) => ({
      packs: {
        ...packs,
        async create(pack) {
          faults.create?.();
          const file = await packs.create(pack);
          return { ...file, ...faults.file?.(file) };
        },
        async remove(pack) {
          faults.remove?.();
          return packs.remove(pack);
        },
      },
    }),
    clean: { faults: true },
  });

  /** Uses a store with faults during `work`. */
  async function withFault(fault: typeof faults, work: () => Promise<void>): Promise<void> {
    faults = fault;
    try {
      await work();
    } finally {
      faults = {};
    }
  }

  const expectUnavailable = async (files: typeof SMALL_FILES, headers: Record<string, string> = {}) => {
    for (const key of [null, undefined]) {
      const { message } = await expectRefusal(server(), 'unavailable', () =>
        server().deploy(files, { ...(key === null ? { key } : {}), headers }),
      );
      expect(message).not.toMatch(/ENOSPC|EDQUOT|EIO|EMFILE|EROFS|fault of the test/);
    }
  };

  const writeFault = (nth: number) => ({
    file(file: PackFile): Partial<PackFile> {
      let writes = 0;
      return { write: async (bytes, position) => (writes++ >= nth ? fault('ENOSPC') : file.write(bytes, position)) };
    },
  });
  const sealFault = (code: string) => ({
    file: (file: PackFile) => ({ seal: () => file.abandon().then(() => fault(code)) }),
  });
  it.each<[string, typeof faults, (typeof SMALL_FILES)[]]>([
    ['the creation of a pack, with ENOSPC', { create: () => fault('ENOSPC') }, [SMALL_FILES, LARGE_FILES]],
    ['the creation of a pack, with EIO', { create: () => fault('EIO') }, [SMALL_FILES, LARGE_FILES]],
    ['the creation of a pack, with EMFILE', { create: () => fault('EMFILE') }, [SMALL_FILES, LARGE_FILES]],
    ['the creation of a pack, with EROFS', { create: () => fault('EROFS') }, [SMALL_FILES, LARGE_FILES]],
    ['any write', writeFault(0), [SMALL_FILES, LARGE_FILES]],
    ['the second write', writeFault(1), [LARGE_FILES]],
    ['the third write', writeFault(2), [LARGE_FILES]],
    ['the flush, with EIO', sealFault('EIO'), [SMALL_FILES, LARGE_FILES]],
    ['the flush, with ENOSPC', sealFault('ENOSPC'), [SMALL_FILES, LARGE_FILES]],
  ])('causes a 503 for each deploy if it fails at %s', (_, faults, uploads) =>
    withFault(faults, async () => {
      for (const files of uploads) await expectUnavailable(files);
    }),
  );

  it.each(['08001', '57P03'])('causes a 503 for a zip archive if the database fails with %s while it is read', (code) =>
    withFault({ create: () => databaseFault(code) }, async () => {
      const options = { method: 'POST', body: zipOf(LARGE_FILES), headers: { 'Content-Type': 'application/zip' } };
      await expectRefusal(server(), 'unavailable', () => server().api('/deployments', options));
    }),
  );

  it('needs no restart to recover, and the idempotency key can be used again', async () => {
    const headers = { 'Idempotency-Key': 'k' };
    await withFault(writeFault(0), () => expectUnavailable(LARGE_FILES, headers));
    const response = await server().deploy(LARGE_FILES, { headers });
    expect([response.status, response.headers['idempotency-replay']]).toEqual([201, undefined]);
    const { bytes } = await server().visit(response.json<{ url: string }>().url, '/a.bin');
    expect(bytes.equals(LARGE_FILES['a.bin'])).toBe(true);
  });

  it('is logged with the cause, for the operator', () => {
    expect(
      server().logged.filter(
        ({ level, fields }) => level === 'warn' && (fields['err'] as NodeJS.ErrnoException)?.code === 'ENOSPC',
      ).length,
    ).toBeGreaterThan(0);
    expect(server().logged.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('leaves a pack that cannot be removed to the sweep', async () => {
    await withFault({ file: () => ({ write: async () => fault('EIO') }), remove: () => fault('EIO') }, async () => {
      expectError(await server().deploy({ 'new.bin': randomBytes(1_300_000) }), 'unavailable');
    });
    const unsealedPacks = () => server().database.query(`select state from pack where state <> 'sealed'`);
    expect(await unsealedPacks()).toEqual([{ state: 'dead' }]);
    await sweep(server().berth.core);
    expect(await unsealedPacks()).toEqual([]);
  });
});

describe('T10: a disk of 8 MB', () => {
  let folder: string;
  let server: TestServer | null = null;
  let skipReason = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'berth-full-'));
    const mount = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'berth-test', folder]);
    if (mount.status !== 0) skipReason = `no tmpfs can be mounted here: ${mount.stderr ?? mount.error}`;
    else server = await startServer({ env: { DATA_DIR: folder } });
  });
  afterAll(async () => {
    if (server) await closeClean(server, { faults: true });
    spawnSync('umount', [folder]);
    await rm(folder, { recursive: true, force: true });
  });

  it('stores deploys until it is full, refuses others with 503, keeps every stored byte, and recovers', async ({
    skip,
  }) => {
    if (!server) return skip(skipReason);
    const uploads = Array.from({ length: 20 }, (_, i) => ({ 'index.html': `${i}`, 'data.bin': randomBytes(900_000) }));
    // All deploys in parallel might fill the disk before one of them is complete.
    const firstResponse = await server.deploy(uploads[0]!);
    const responses = [firstResponse, ...(await Promise.all(uploads.slice(1).map((files) => server!.deploy(files))))];
    const storedSites = responses.flatMap((response, i) =>
      response.status === 201
        ? [{ ...response.json<{ url: string; deployment: string }>(), bytes: uploads[i]!['data.bin'] }]
        : [],
    );
    expect(storedSites.length).toBeGreaterThan(0);
    expect(storedSites.length).toBeLessThan(uploads.length);
    for (const response of responses) if (response.status !== 201) expectError(response, 'unavailable');
    await expectRefusal(server, 'unavailable', () => server!.deploy({ 'a.bin': randomBytes(7_900_000) }));
    for (const { url, bytes } of storedSites)
      expect((await server.visit(url, '/data.bin')).bytes.equals(bytes)).toBe(true);
    const packs = (await readdir(join(folder, 'packs'), { recursive: true })).filter((name) => name.endsWith('.pack'));
    expect(packs).toHaveLength(storedSites.length);

    for (const { deployment } of storedSites) await server.api(`/deployments/${deployment}`, { method: 'DELETE' });
    await sweep(server.berth.core, { graceMs: 0 });
    await server.publish(uploads[0]!);
  });
});
