import { readdir, readFile } from 'node:fs/promises';

/**
 * Returns the processes that respond to requests: the server and the Node processes that it has started. Linux only.
 */
export async function servingPids(pid: number): Promise<number[]> {
  const children: number[] = [];
  for (const task of await readdir(`/proc/${pid}/task`))
    children.push(
      ...(await readFile(`/proc/${pid}/task/${task}/children`, 'utf8')).split(' ').filter(Boolean).map(Number),
    );
  const pids = [pid];
  for (const child of children)
    if (/node\0/.test((await readFile(`/proc/${child}/cmdline`, 'utf8')).slice(0, 200)))
      pids.push(...(await servingPids(child)));
  return pids;
}

/** Returns the total resident memory of processes, in bytes. */
export async function residentBytes(pids: readonly number[]): Promise<number> {
  let bytes = 0;
  for (const pid of pids)
    bytes += Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  return bytes;
}

/** Returns the number of files and sockets that processes have open. */
export async function openDescriptors(pids: readonly number[]): Promise<number> {
  let count = 0;
  for (const pid of pids) count += (await readdir(`/proc/${pid}/fd`)).length;
  return count;
}
