import { once } from 'node:events';
import { Agent } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchServer } from '../processes.ts';
import { get } from './get.ts';
import { openDescriptors, residentBytes, servingPids } from './process.ts';
import { wrk } from './wrk.ts';

/** A measured value and its goal. */
export interface Finding {
  label: string;
  measured: string;
  goal: string;
  isMet: boolean;
}

const MiB = 1024 ** 2;
const BURST_SECONDS = 5;

/** Measures the resident memory while many sites are requested, at most for `maxSeconds`. */
export async function memory(
  berth: BenchServer,
  load: { hosts: string; draws: string },
  requests: number,
  maxSeconds: number,
): Promise<Finding> {
  const pids = await servingPids(berth.pid);
  const bytesBefore = await residentBytes(pids);
  let peakBytes = bytesBefore;
  let completedRequests = 0;
  let isOver = false;
  const watch = (async () => {
    for (; !isOver; await sleep(100)) peakBytes = Math.max(peakBytes, await residentBytes(pids));
  })();
  const started = performance.now();
  let seconds = 0;
  while (completedRequests < requests && seconds < maxSeconds) {
    // wrk runs with one thread, and continues where the previous run stopped.
    const {
      requests: sent,
      refused,
      lost,
    } = await wrk(berth.port, BURST_SECONDS, { ...load, offset: completedRequests }, 1);
    if (refused + lost > 0) throw new Error(`${refused + lost} of ${sent} requests for many sites failed`);
    completedRequests += sent;
    seconds = (performance.now() - started) / 1000;
  }
  isOver = true;
  await watch;
  const volume = `${completedRequests.toLocaleString('en')} requests in ${seconds.toFixed(0)} s`;
  return {
    label: 'resident memory at its peak, requests over 100,000 sites',
    measured: `${(peakBytes / MiB).toFixed(0)} MiB (${(bytesBefore / MiB).toFixed(0)} before; ${volume})`,
    goal: `under 240 MiB${completedRequests < requests ? `, after ${requests.toLocaleString('en')}` : ''}`,
    isMet: peakBytes < 240 * MiB && completedRequests >= requests,
  };
}

/** Measures the time to the first byte of sites that were not requested before. */
export async function measureColdSites(berth: BenchServer, hosts: readonly string[]): Promise<Finding> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times: number[] = [];
  for (const host of hosts) {
    const { status, firstByteMs } = await get(berth.port, host, '/', {}, agent);
    if (status !== 200) throw new Error(`${host} answered ${status}`);
    times.push(firstByteMs);
  }
  agent.destroy();
  const sorted = times.toSorted((a, b) => a - b);
  const percentile = (share: number) => sorted[Math.ceil(share * sorted.length) - 1]!;
  return {
    label: `time to the first byte of ${hosts.length.toLocaleString('en')} cold sites among 100,000, a fresh process`,
    measured: `p99 ${percentile(0.99).toFixed(1)} ms (p50 ${percentile(0.5).toFixed(1)}, longest ${percentile(1).toFixed(1)})`,
    goal: 'p99 under 15 ms',
    isMet: percentile(0.99) < 15,
  };
}

const ABORTERS = 16;
const SETTLE_MS = 10_000;

/** Counts open descriptors before and after downloads that are aborted at their first bytes. */
export async function descriptors(berth: BenchServer, host: string, path: string, downloads: number): Promise<Finding> {
  const pids = await servingPids(berth.pid);
  await abortDownloads(berth.port, host, path, 100);
  await settleDescriptors();
  const descriptorsBefore = await openDescriptors(pids);
  await abortDownloads(berth.port, host, path, downloads);
  const descriptorsAfter = await settleDescriptors(descriptorsBefore);
  return {
    label: `open descriptors before and after ${downloads.toLocaleString('en')} downloads that were broken off`,
    measured: `${descriptorsBefore}, ${descriptorsAfter}`,
    goal: 'as many after as before',
    isMet: descriptorsAfter <= descriptorsBefore,
  };

  /** Waits until the number no longer changes, or is at most the expected number. */
  async function settleDescriptors(expected?: number): Promise<number> {
    const deadline = performance.now() + SETTLE_MS;
    for (let lastCount = -1; ;) {
      const count = await openDescriptors(pids);
      if (expected === undefined ? count === lastCount : count <= expected) return count;
      if (performance.now() > deadline) return count;
      lastCount = count;
      await sleep(500);
    }
  }
}

/** Starts downloads, some of them in parallel, and aborts each at its first bytes. */
async function abortDownloads(port: number, host: string, path: string, downloads: number): Promise<void> {
  let remaining = downloads;
  const leaveDownload = async () => {
    for (; remaining > 0;) {
      remaining -= 1;
      const socket = connect(port, '127.0.0.1');
      socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      const [first] = (await once(socket, 'data')) as [Buffer];
      if (!first.toString('latin1').startsWith('HTTP/1.1 200 '))
        throw new Error(`${path}: ${first.toString('latin1')}`);
      socket.destroy();
    }
  };
  await Promise.all(Array.from({ length: ABORTERS }, leaveDownload));
}
