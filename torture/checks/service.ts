import { setTimeout as sleep } from 'node:timers/promises';
import type { Violations } from '../violations.ts';
import { type Resources, resourcesOf } from '../world/processes.ts';
import type { Node } from '../world/node.ts';
import type { Service } from '../world/service.ts';

/** A worker keeps at most 128 packs open for reading. */
const MAX_DESCRIPTORS = 400;
const MAX_MEMORY_BYTES = 1_500 * 1024 ** 2;
/** A worker closes a pack at most 20 s after its last use. On a loaded machine it takes longer. */
const CLOSED_AFTER_MS = 45_000;
const SOCKETS_CLOSED_AFTER_MS = 20_000;
const POLL_MS = 500;

/** Checks that descriptors and memory are bounded, at every call and between calls. */
export class ResourceCheck {
  /** The most that one process had at any check. */
  readonly peaks = { descriptors: 0, memoryBytes: 0 };
  /** When a removed pack was first found open, by process and path. */
  readonly #removedPacks = new Map<string, number>();
  readonly #nodes: readonly Node[];
  readonly #violations: Violations;

  constructor(nodes: readonly Node[], violations: Violations) {
    this.#nodes = nodes;
    this.#violations = violations;
  }

  async run(): Promise<void> {
    const processes = this.#processes();
    for (const { pid, kind } of processes) {
      const found = await this.#whenFewDescriptors(pid);
      if (!found) continue;
      const { descriptors, memoryBytes } = found;
      this.peaks.descriptors = Math.max(this.peaks.descriptors, descriptors);
      this.peaks.memoryBytes = Math.max(this.peaks.memoryBytes, memoryBytes);
      this.#violations.require(
        descriptors <= MAX_DESCRIPTORS,
        'resources',
        () => `a ${kind} has ${descriptors} descriptors`,
      );
      this.#violations.require(memoryBytes < MAX_MEMORY_BYTES, 'resources', () => `a ${kind} has ${memoryBytes} bytes`);
    }
    this.#checkRemovedPacks(processes.map(({ pid }) => pid));
  }

  /** Waits until removed packs must be closed, and checks that they are. */
  async runLast(): Promise<void> {
    await this.run();
    const hasOpen = () => this.#removedPacks.size > 0;
    for (const end = performance.now() + CLOSED_AFTER_MS + POLL_MS; hasOpen() && performance.now() < end;) {
      await sleep(POLL_MS);
      this.#checkRemovedPacks(this.#processes().map(({ pid }) => pid));
    }
  }

  #processes() {
    return this.#nodes.flatMap(({ service }) => service.processes('server', 'worker'));
  }

  /** Waits for connections that are being closed. */
  async #whenFewDescriptors(pid: number): Promise<Resources | null> {
    for (const deadline = performance.now() + SOCKETS_CLOSED_AFTER_MS; ; await sleep(POLL_MS)) {
      const found = resourcesOf(pid);
      if (!found || found.descriptors <= MAX_DESCRIPTORS || performance.now() > deadline) return found;
    }
  }

  #checkRemovedPacks(pids: readonly number[]): void {
    const open = new Set(pids.flatMap((pid) => (resourcesOf(pid)?.removedPacks ?? []).map((path) => `${pid} ${path}`)));
    for (const known of this.#removedPacks.keys()) if (!open.has(known)) this.#removedPacks.delete(known);
    for (const found of open) {
      const since = this.#removedPacks.get(found) ?? performance.now();
      this.#removedPacks.set(found, since);
      const isLate = performance.now() - since > CLOSED_AFTER_MS;
      this.#violations.require(!isLate, 'resources', () => `a removed pack stays open: ${found}`);
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
