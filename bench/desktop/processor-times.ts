import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts processor time in ticks of this many milliseconds. */
const TICK_MS = 10;

interface Process {
  pid: number;
  parent: number;
  command: string;
  ms: number;
}

/** Returns the processor time that the main process of the app and the browser have used, in milliseconds. */
export function processorTimes(): { app: number; window: number } {
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap(readProcess);
  const own = new Set([process.pid]);
  // A parent has a lower id than its children, unless the ids have started over.
  for (const { pid, parent } of processes.toSorted((a, b) => a.pid - b.pid)) if (own.has(parent)) own.add(pid);
  const sumOf = (pattern: RegExp) =>
    processes.reduce((sum, { pid, command, ms }) => (own.has(pid) && pattern.test(command) ? sum + ms : sum), 0);
  return { app: sumOf(/main-program/), window: sumOf(/chrom/i) };
}

function readProcess(name: string): Process[] {
  try {
    const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ms = (Number(fields[11]) + Number(fields[12])) * TICK_MS;
    return [
      { pid: Number(name), parent: Number(fields[1]), command: readFileSync(`/proc/${name}/cmdline`, 'utf8'), ms },
    ];
  } catch {
    // The process has ended.
    return [];
  }
}
