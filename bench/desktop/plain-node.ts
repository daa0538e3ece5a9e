import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createClient, deployFolder } from '@berth/client';
import { API_KEY } from '../processes.ts';

/** A folder to publish. */
interface Input {
  folder: string;
  cacheDir: string;
  port: number;
}

/** The measurements of a deploy. */
interface Deploy {
  ms: number;
  processorMs: number;
  /** The peak memory of the process, in bytes. */
  maxRss: number;
}

/** Publishes a folder with `deployFolder` on the only thread of a new process. The app is compared with this deploy. */
export async function publishWithNode(input: Input): Promise<Deploy> {
  const child = fork(import.meta.filename, [JSON.stringify(input)]);
  const [deploy] = (await once(child, 'message')) as [Deploy];
  return deploy;
}

async function publish({ folder, cacheDir, port }: Input): Promise<Deploy> {
  const client = createClient({ server: `http://localhost:${port}`, key: API_KEY });
  const [startedMs, processor] = [performance.now(), process.cpuUsage()];
  for await (const _event of deployFolder({ folder, client }, { cacheDir }));
  const { user, system } = process.cpuUsage(processor);
  const [, kibibytes] = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return { ms: performance.now() - startedMs, processorMs: (user + system) / 1_000, maxRss: Number(kibibytes) * 1_024 };
}

if (import.meta.main) process.send!(await publish(JSON.parse(process.argv[2]!) as Input));
