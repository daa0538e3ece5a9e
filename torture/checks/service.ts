import { setTimeout as sleep } from 'node:timers/promises';
import type { Violations } from '../violations.ts';
import { resourcesOf } from '../world/processes.ts';
import type { Service } from '../world/service.ts';

/** A worker keeps at most 128 packs open for reading, for at most 20 s after their last use. */
const MAX_DESCRIPTORS = 400;
const MAX_MEMORY_BYTES = 1_500 * 1024 ** 2;
const PATIENCE_MS = 30_000;
const POLL_MS = 500;

/** The most that one process of the service had at any check. */
export interface Peaks {
  descriptors: number;
  memoryBytes: number;
}

/** Checks that descriptors and memory are bounded. Waits for connections that are being closed. */
export async function checkResources(service: Service, violations: Violations, peaks: Peaks): Promise<void> {
  for (const { pid, kind } of service.processes('server', 'worker')) {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      const found = resourcesOf(pid);
      if (!found) break;
      const { descriptors, memoryBytes, removedPacks } = found;
      if (descriptors <= MAX_DESCRIPTORS && removedPacks.length === 0) {
        peaks.descriptors = Math.max(peaks.descriptors, descriptors);
        peaks.memoryBytes = Math.max(peaks.memoryBytes, memoryBytes);
        violations.require(memoryBytes < MAX_MEMORY_BYTES, 'resources', () => `a ${kind} has ${memoryBytes} bytes`);
        break;
      }
      if (performance.now() > deadline) {
        violations.add(
          'resources',
          `a ${kind} has ${descriptors} descriptors, ${removedPacks.length} of removed packs`,
        );
        break;
      }
      await sleep(POLL_MS);
    }
  }
}

/** Runs the doctor. It must find neither damage nor drift. */
export async function checkDoctor(service: Service, violations: Violations): Promise<void> {
  const { code, output } = await service.operate(['doctor', '--json']);
  violations.require(code === 0, 'doctor', () => output.slice(0, 1_000));
}

/** Runs the sweep of the operator. */
export async function runSweep(
  service: Service,
  violations: Violations,
  env: Record<string, string> = {},
): Promise<void> {
  const { code, output } = await service.operate(['sweep', '--json'], env);
  violations.require(code === 0, 'orphans', () => `the sweep failed: ${output.slice(0, 1_000)}`);
}
