import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sweep } from '@berth/core/jobs';
import { closeClean, expectErrorAnswer, expectRefusal } from '@berth/testing/expectations';
import type { PackFile } from '@berth/testing/internals';
import { startServer, type TestServer } from '@berth/testing/server';
import { useServer } from '@berth/testing/use-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const LARGE = { 'index.html': 'home', 'a.bin': randomBytes(1_300_000), 'b.bin': randomBytes(900_000) };
const SMALL = { 'index.html': 'home' };

function fault(code: string): never {
  throw Object.assign(new Error(`${code}: a fault of the test`), { code, errno: -1, syscall: 'write' });
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

  /** Sends uploads to a store with a fault, then removes the fault. */
  async function withFault(fault: typeof faults, work: () => Promise<void>): Promise<void> {
    faults = fault;
    try {
      await work();
    } finally {
      faults = {};
    }
  }

  const refused = async (files: typeof SMALL, headers: Record<string, string> = {}) => {
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
  it.each<[string, typeof faults, (typeof SMALL)[]]>([
    ['a new pack: ENOSPC', { create: () => fault('ENOSPC') }, [SMALL, LARGE]],
    ['a new pack: EIO', { create: () => fault('EIO') }, [SMALL, LARGE]],
    ['a new pack: EMFILE', { create: () => fault('EMFILE') }, [SMALL, LARGE]],
    ['a new pack: EROFS', { create: () => fault('EROFS') }, [SMALL, LARGE]],
    ['any write', writeFault(0), [SMALL, LARGE]],
    ['the second write', writeFault(1), [LARGE]],
    ['the third write', writeFault(2), [LARGE]],
    ['the flush: EIO', sealFault('EIO'), [SMALL, LARGE]],
    ['the flush: ENOSPC', sealFault('ENOSPC'), [SMALL, LARGE]],
  ])('at %s', (_, faults, uploads) =>
    withFault(faults, async () => {
      for (const files of uploads) await refused(files);
    }),
  );

  it('recovers without a restart, and the same key can be used', async () => {
    const headers = { 'Idempotency-Key': 'k' };
    await withFault(writeFault(0), () => refused(LARGE, headers));
    const answer = await server().deploy(LARGE, { headers });
    expect([answer.status, answer.headers['idempotency-replay']]).toEqual([201, undefined]);
    const { bytes } = await server().visit(answer.json<{ url: string }>().url, '/a.bin');
    expect(bytes.equals(LARGE['a.bin'])).toBe(true);
  });

  it('is logged with the cause, for the operator', () => {
    expect(
      server().logged.filter(
        ({ level, fields }) => level === 'warn' && (fields['err'] as NodeJS.ErrnoException)?.code === 'ENOSPC',
      ).length,
    ).toBeGreaterThan(0);
    expect(server().logged.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('leaves a pack that cannot be removed either to the sweep', async () => {
    await withFault({ file: () => ({ write: async () => fault('EIO') }), remove: () => fault('EIO') }, async () => {
      expectErrorAnswer(await server().deploy({ 'new.bin': randomBytes(1_300_000) }), 'unavailable');
    });
    const unsealed = () => server().database.query(`select state from pack where state <> 'sealed'`);
    expect(await unsealed()).toEqual([{ state: 'dead' }]);
    await sweep(server().berth.core);
    expect(await unsealed()).toEqual([]);
  });
});

describe('T10: a disk of 8 MB', () => {
  let folder: string;
  let server: TestServer | null = null;
  let why = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'berth-full-'));
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'berth-test', folder]);
    if (mounted.status !== 0) why = `no tmpfs can be mounted here: ${mounted.stderr ?? mounted.error}`;
    else server = await startServer({ env: { DATA_DIR: folder } });
  });
  afterAll(async () => {
    if (server) await closeClean(server, { faults: true });
    spawnSync('umount', [folder]);
    await rm(folder, { recursive: true, force: true });
  });

  it('stores what fits, refuses the rest with 503, keeps every stored byte, and recovers when there is room', async ({
    skip,
  }) => {
    if (!server) return skip(why);
    const uploads = Array.from({ length: 20 }, (_, i) => ({ 'index.html': `${i}`, 'data.bin': randomBytes(900_000) }));
    // In parallel they might fill the disk before any of them is complete.
    const first = await server.deploy(uploads[0]!);
    const answers = [first, ...(await Promise.all(uploads.slice(1).map((files) => server!.deploy(files))))];
    const succeeded = answers.flatMap((answer, i) =>
      answer.status === 201
        ? [{ ...answer.json<{ url: string; deployment: string }>(), bytes: uploads[i]!['data.bin'] }]
        : [],
    );
    expect(succeeded.length).toBeGreaterThan(0);
    expect(succeeded.length).toBeLessThan(uploads.length);
    for (const answer of answers) if (answer.status !== 201) expectErrorAnswer(answer, 'unavailable');
    await expectRefusal(server, 'unavailable', () => server!.deploy({ 'a.bin': randomBytes(7_900_000) }));
    for (const { url, bytes } of succeeded)
      expect((await server.visit(url, '/data.bin')).bytes.equals(bytes)).toBe(true);
    const stored = (await readdir(join(folder, 'packs'), { recursive: true })).filter((name) => name.endsWith('.pack'));
    expect(stored).toHaveLength(succeeded.length);

    for (const { deployment } of succeeded) await server.api(`/deployments/${deployment}`, { method: 'DELETE' });
    await sweep(server.berth.core, { graceMs: 0 });
    await server.publish(uploads[0]!);
  });
});
