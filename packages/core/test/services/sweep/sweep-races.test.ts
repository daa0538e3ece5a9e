import { setTimeout as pause } from 'node:timers/promises';
import { anotherProcess, createTestCore, deploySite, readText } from '@berth/testing/core';
import { expectSound, expectSwept } from '@berth/testing/invariants';
import { createRandom } from '@berth/testing/random';
import { expect, it } from 'vitest';
import type { AccountCaller, Core } from '../../../src/core.ts';
import { type Database, openDatabase } from '../../../src/database/database.ts';
import { toServiceError } from '../../../src/routers/error-body.ts';
import { deleteDeployment } from '../../../src/services/deployments/deployments.ts';
import { sweep } from '../../../src/services/sweep/sweep.ts';

const DURATION_MS = 2_000;
const MAX_PAUSE_MS = 6;
const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000_007);

/** A deployment for which the server has returned 201. */
interface Acknowledged {
  id: string;
  files: Record<string, string>;
  deleting: boolean;
}

it(`T34, I1 to I4, I6: concurrent deploys, deletes, reads and sweeps without grace, on two nodes, lose no site and leave nothing behind (SEED=${seed})`, async () => {
  const test = await createTestCore();
  const random = createRandom(seed);
  const pickRandom = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const callers: AccountCaller[] = [(await test.account('scale')).caller, (await test.account('scale')).caller];
  const secondCore: Core = { ...(await anotherProcess(test)), database: openDatabase(test.database.address) };
  const nodes = [test.core, secondCore].map((core) => withJitter(core, random, MAX_PAUSE_MS));
  const pool = Array.from({ length: 14 }, (_, i) => `content ${i} `.repeat(i * 40));
  const liveDeployments = new Map<string, Acknowledged & { caller: AccountCaller }>();
  const operationCounts = { deployed: 0, refused: 0, deleted: 0, read: 0, sweptPacks: 0 };
  const start = performance.now();
  /** False when the test has run long enough. A slow machine needs more time for enough operations. */
  const running = () => {
    const passedMs = performance.now() - start;
    return (
      passedMs < DURATION_MS ||
      (passedMs < 4 * DURATION_MS && (operationCounts.deployed < 40 || operationCounts.sweptPacks < 8))
    );
  };
  let keys = 0;

  /** Deploys with a key until the outcome is known. Sometimes a concurrent request uses the same key. */
  async function deploy(): Promise<void> {
    const caller = pickRandom(callers);
    const files = Object.fromEntries(
      Array.from({ length: 1 + Math.floor(random() * 5) }, (_, i) => [`f${i}`, pickRandom(pool)]),
    );
    const key = `key ${(keys += 1)}`;
    const attempt = async (): Promise<string> => {
      for (;;) {
        try {
          return (await deploySite(pickRandom(nodes), caller, files, { key })).body.deployment;
        } catch (error) {
          expect(toServiceError(error), String(error)).toMatchObject({ code: 'unavailable' });
          operationCounts.refused += 1;
        }
      }
    };
    const ids = await Promise.all(random() < 0.3 ? [attempt(), attempt()] : [attempt()]);
    expect(new Set(ids).size, 'I6').toBe(1);
    liveDeployments.set(ids[0]!, { id: ids[0]!, caller, files, deleting: false });
    operationCounts.deployed += 1;
  }

  async function remove(): Promise<void> {
    const siteToDelete = pickRandom([...liveDeployments.values()].filter(({ deleting }) => !deleting));
    if (!siteToDelete) return nextTurn();
    siteToDelete.deleting = true;
    await deleteDeployment({ core: pickRandom(nodes), caller: siteToDelete.caller }, siteToDelete.id);
    operationCounts.deleted += 1;
  }

  async function read(): Promise<void> {
    const site = pickRandom([...liveDeployments.values()]);
    if (!site) return nextTurn();
    const servedText = await readText(pickRandom(nodes), site.id).catch((error: NodeJS.ErrnoException) => {
      expect(site.deleting, `I1: ${site.id}: ${error.message}`).toBe(true);
      return null;
    });
    if (servedText === null) expect(site.deleting, `I1: ${site.id} is gone`).toBe(true);
    else if (!site.deleting) expect(servedText, `I1: ${site.id}`).toEqual(site.files);
    operationCounts.read += 1;
  }

  async function sweepOnce(): Promise<void> {
    const { packs } = await sweep(pickRandom(nodes), { graceMs: 0, fenceWaitMs: random() < 0.3 ? 200 : 0 });
    operationCounts.sweptPacks += packs;
  }

  const worker = async (work: () => Promise<void>) => {
    while (running()) await work();
  };
  await Promise.all(
    [deploy, deploy, deploy, deploy, deploy, deploy, remove, remove, remove, remove, read, sweepOnce, sweepOnce].map(
      worker,
    ),
  );

  const rows = await test.database.query<{ id: string }>(`select id from deployment where status = 'success'`);
  expect(rows.map(({ id }) => id).toSorted(), 'I5, I6').toEqual(
    [...liveDeployments.values()].flatMap(({ id, deleting }) => (deleting ? [] : [id])).toSorted(),
  );
  for (const { id, files, deleting } of liveDeployments.values()) {
    expect(await readText(test.core, id), `I1: ${id}`).toEqual(deleting ? null : files);
  }
  await expectSound(test);
  expect(await sweep(test.core, { graceMs: 0 })).toMatchObject({ fenced: true });
  await expectSwept(test);
  expect(test.core.activePacks.size + secondCore.activePacks.size).toBe(0);
  await secondCore.database.close();
  await test.close();
});

const nextTurn = () => new Promise<void>((resolve) => void setImmediate(resolve));

/**
 * Adds random pauses to a core, around every use of the pack store and before every commit, so that races that last
 * microseconds last milliseconds. Source: security §6.
 */
function withJitter(core: Core, random: () => number, maxPauseMs: number): Core {
  const randomPause = () => pause(random() * maxPauseMs);
  const withPauses = async <T>(step: () => Promise<T>): Promise<T> => {
    await randomPause();
    const result = await step();
    await randomPause();
    return result;
  };
  const transaction: Database['transaction'] = (work) =>
    core.database.transaction(async (em) => {
      const result = await work(em);
      await randomPause();
      return result;
    });
  return {
    ...core,
    database: { ...core.database, transaction },
    packs: {
      ...core.packs,
      create: (pack) =>
        withPauses(async () => {
          const file = await core.packs.create(pack);
          return { ...file, seal: (size) => withPauses(() => file.seal(size)) };
        }),
      remove: (pack) => withPauses(() => core.packs.remove(pack)),
    },
  };
}
