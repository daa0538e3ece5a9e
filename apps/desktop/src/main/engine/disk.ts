import { parentPort } from 'node:worker_threads';
import { ClientError, readFolder, readSmallContents } from '@berth/client';
import type { DiskAnswer, DiskJob, DiskRequest } from './disk-threads.ts';

// The program of a thread that reads the files of users. Only this thread waits if a drive does not respond.

/** How often the thread shows that no drive blocks it, in milliseconds. */
const SIGN_EVERY_MS = 250;

// Electron would open files of users that are called `*.asar` as archives.
Object.assign(process, { noAsar: true });

const port = parentPort!;
const answer = (message: DiskAnswer, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer);
let running: AbortController | null = null;

setInterval(() => answer({ is: 'responding' }), SIGN_EVERY_MS).unref();
port.on('message', (request: DiskRequest) => {
  if (request.is === 'abort') running?.abort();
  else if (request.is === 'end') end();
  else void run(request);
});

function end(): void {
  running?.abort();
  // Without its port, the thread ends as soon as it reads nothing.
  port.close();
}

async function run(job: DiskJob): Promise<void> {
  const abort = new AbortController();
  running = abort;
  try {
    if (job.is === 'contents') {
      const bytes = readSmallContents(job.root, job.files);
      answer({ is: 'done', value: bytes }, [bytes.buffer]);
      return;
    }
    const reading = readFolder(job.folder, { cacheDir: job.cacheDir, ignore: job.ignore, signal: abort.signal });
    let step = await reading.next();
    for (; step.done !== true; step = await reading.next()) answer({ is: 'event', event: step.value });
    answer({ is: 'done', value: step.value });
  } catch (error) {
    // An error loses its class between threads.
    const { kind = 'folder', file = null } = error instanceof ClientError ? error : {};
    answer({ is: 'failed', kind, file, message: error instanceof Error ? error.message : String(error) });
  }
}
