import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the processor time that a Berth server and its embedded PostgreSQL have used so far, in milliseconds. */
export function processorMs({ pid, dataDir }: { pid: number; dataDir: string }): { node: number; postgres: number } {
  const postmaster = Number(readFileSync(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[0]);
  const backends = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === postmaster);
  return {
    node: ofProcess(pid),
    postgres: [postmaster, ...backends].reduce<number>((sum, id) => sum + ofProcess(id), 0),
  };
}

function ofProcess(pid: number | string): number {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    return threads.reduce((sum, thread) => sum + onCpuMs(`/proc/${pid}/task/${thread}/schedstat`), 0);
  } catch {
    // The process has ended.
    return 0;
  }
}

function onCpuMs(file: string): number {
  return Number(readFileSync(file, 'utf8').split(' ')[0]) / 1e6;
}

function parentOf(pid: string): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return 0;
  }
}
