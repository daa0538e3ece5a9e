import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** A running process of the service. */
export interface ServiceProcess {
  pid: number;
  parent: number;
  kind: 'server' | 'worker' | 'compressor' | 'database' | 'database session';
}

/** Lists the processes of the service on a data folder, also those whose parent has died. */
export function processesOf(dataDir: string): ServiceProcess[] {
  const data = `${dataDir}/postgres/data`;
  return pids().flatMap((pid): ServiceProcess[] => {
    const kind = kindOf(pid, dataDir, data);
    return kind === null ? [] : [{ pid, parent: parentOf(pid), kind }];
  });
}

function kindOf(pid: number, dataDir: string, data: string): ServiceProcess['kind'] | null {
  const command = read(`/proc/${pid}/cmdline`);
  if (command === '') return null; // A zombie, or a thread of the kernel.
  if (command.startsWith('postgres: ')) return workingFolder(pid) === data ? 'database session' : null;
  if (command.includes('/bin/postgres\0')) return command.split('\0').includes(data) ? 'database' : null;
  if (!read(`/proc/${pid}/environ`).split('\0').includes(`DATA_DIR=${dataDir}`)) return null;
  if (command.includes('apps/api/dist/worker.cjs')) return 'worker';
  if (command.includes('apps/api/dist/compressor-process.cjs')) return 'compressor';
  return command.includes('apps/api/dist/main.cjs') ? 'server' : null;
}

/** Sends a signal. A process that has ended is not an error. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** The open descriptors of a process, and the memory that it occupies. */
export interface Resources {
  descriptors: number;
  /** Paths of removed packs that are still open. */
  removedPacks: string[];
  memoryBytes: number;
}

const PAGE_BYTES = 4_096;

export function resourcesOf(pid: number): Resources | null {
  try {
    const targets = readdirSync(`/proc/${pid}/fd`).map((fd) => linkTarget(`/proc/${pid}/fd/${fd}`));
    const resident = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
    return {
      descriptors: targets.length,
      removedPacks: targets.filter((target) => target.endsWith('.pack (deleted)')),
      memoryBytes: resident * PAGE_BYTES,
    };
  } catch {
    return null;
  }
}

function pids(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function parentOf(pid: number): number {
  return Number(/\) \S (\d+)/.exec(read(`/proc/${pid}/stat`))?.[1] ?? 0);
}

function workingFolder(pid: number): string {
  return linkTarget(`/proc/${pid}/cwd`);
}

function linkTarget(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

/** Reads a file of `/proc`; empty if the process has ended. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
