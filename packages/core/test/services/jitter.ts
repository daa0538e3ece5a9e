import { setTimeout as pause } from 'node:timers/promises';
import type { Core } from '../../src/core.ts';
import type { Database } from '../../src/database/database.ts';

/**
 * The same core with random pauses around every use of the pack store and before every commit. Race windows of
 * microseconds become milliseconds. Source: security §6.
 */
export function withJitter(core: Core, random: () => number, maxPauseMs: number): Core {
  const idle = () => pause(random() * maxPauseMs);
  const around = async <T>(step: () => Promise<T>): Promise<T> => {
    await idle();
    const result = await step();
    await idle();
    return result;
  };
  const transaction: Database['transaction'] = (work) =>
    core.database.transaction(async (em) => {
      const result = await work(em);
      await idle();
      return result;
    });
  return {
    ...core,
    database: { ...core.database, transaction },
    packs: {
      ...core.packs,
      create: (pack) =>
        around(async () => {
          const file = await core.packs.create(pack);
          return { ...file, seal: (size) => around(() => file.seal(size)) };
        }),
      remove: (pack) => around(() => core.packs.remove(pack)),
    },
  };
}
