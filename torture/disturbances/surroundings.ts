import { setTimeout as sleep } from 'node:timers/promises';
import type { Disturbance } from './disturbance.ts';

const RECOVERY_SECONDS = 30;
const HOUR_MS = 3_600_000;
const MAX_HOURS = 6;

/** Fills the disk, lets clients try for some seconds, and frees it again. */
const fullDisk: Disturbance = {
  kind: 'full-disk',
  weight: 2,
  recoverySeconds: 60,
  impossible: ({ nodes }) => (nodes[0]!.disk ? null : 'mounting a small disk needs root'),
  async run({ random }, { disk, service }) {
    disk!.fill();
    const ms = 1_500 + Math.floor(random() * 3_000);
    for (let waited = 0; waited < ms; waited += 250) {
      await sleep(250);
      disk!.fill();
    }
    disk!.free();
    const since = performance.now();
    // PostgreSQL ends when it cannot extend its log. A server that cannot restart it five times in a row ends, and the
    // process manager starts it again.
    await sleep(1_000);
    if (service.isRunning()) return { detail: `for ${ms} ms`, since };
    const seconds = await service.start();
    return { detail: `for ${ms} ms; the server had ended, and was started again in ${seconds.toFixed(1)} s`, since };
  },
};

/** Resets and stalls connections between clients and server. */
const cutConnections: Disturbance = {
  kind: 'cut-connections',
  weight: 2,
  recoverySeconds: RECOVERY_SECONDS,
  async run({ random }, { proxy }) {
    const cut = proxy.cutAll();
    proxy.disturb({ resets: 0.3, stalls: 0.1, random });
    await sleep(2_000 + random() * 2_000);
    proxy.disturb(null);
    return { detail: `${cut} at once`, since: performance.now() };
  },
};

/** Shifts the wall clock of the service forwards or backwards, and back again. */
function shiftClock(kind: string, direction: 1 | -1): Disturbance {
  return {
    kind,
    weight: 1,
    recoverySeconds: RECOVERY_SECONDS,
    async run({ random }, { service }) {
      const hours = 1 + random() * (MAX_HOURS - 1);
      service.shiftClock(direction * hours * HOUR_MS);
      await sleep(2_000 + random() * 2_000);
      return { detail: `by ${(direction * hours).toFixed(1)} h`, since: performance.now() };
    },
  };
}

/** Sets the clock right again, which is also a shift. */
const setClockRight: Disturbance = {
  kind: 'clock-right',
  weight: 1,
  recoverySeconds: RECOVERY_SECONDS,
  async run(_world, { service }) {
    service.shiftClock(0);
    await sleep(1_000);
    return { detail: '', since: performance.now() };
  },
};

export const SURROUNDINGS = [
  fullDisk,
  cutConnections,
  shiftClock('clock-forwards', 1),
  setClockRight,
  shiftClock('clock-backwards', -1),
];
