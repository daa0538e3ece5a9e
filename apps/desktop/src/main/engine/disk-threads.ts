import { Worker } from 'node:worker_threads';
import {
  ClientError,
  type ClientErrorKind,
  type FolderDisk,
  type FolderEvent,
  type ReadFolder,
  type ReadFolderOptions,
  type SmallFile,
} from '@berth/client';
import { abortedError } from '../problem.ts';
import { waitForEnd } from './wait-for-end.ts';

/** A thread that gives no sign for this long is blocked by a drive, in milliseconds. */
const BLOCKED_AFTER_MS = 1_000;
/** How long a thread is kept that has nothing to read, in milliseconds. */
const IDLE_MS = 5_000;
/** How long a thread may take to end, in milliseconds. A drive can keep it from ending. */
const END_LIMIT_MS = 500;
/** The young generation of a thread's heap, in MiB. A thread that reads 10,000 files needs little. */
const YOUNG_GENERATION_MB = 4;

/** What a thread reads. */
export type DiskJob =
  | { is: 'folder'; folder: string; cacheDir: string | undefined; ignore: readonly string[] | undefined }
  | { is: 'contents'; root: string; files: readonly SmallFile[] };

/** What a thread is asked for. `end` also aborts what it reads. */
export type DiskRequest = DiskJob | { is: 'abort' } | { is: 'end' };

/** What a thread answers. */
export type DiskAnswer =
  | { is: 'responding' }
  | { is: 'event'; event: FolderEvent }
  | { is: 'done'; value: ReadFolder | Uint8Array<ArrayBuffer> }
  | { is: 'failed'; kind: ClientErrorKind; file: string | null; message: string };

interface Task {
  job: DiskJob;
  onEvent(event: FolderEvent): void;
  result: PromiseWithResolvers<ReadFolder | Uint8Array<ArrayBuffer>>;
}

/**
 * Reads folders in threads of their own. One thread scans, and one reads contents. A drive that does not respond blocks only the thread that
 * reads from it: other folders are read in other threads, and aborting does not wait.
 */
export class DiskThreads implements FolderDisk {
  readonly #program: URL;
  readonly #waiting: Task[] = [];
  readonly #threads = new Set<DiskThread>();
  #timer: NodeJS.Timeout | undefined;

  /** @param program The address of the compiled `disk.ts`. */
  constructor(program: URL) {
    this.#program = program;
  }

  readonly readFolder: FolderDisk['readFolder'] = (folder, options) => this.#readFolder(folder, options);

  async *#readFolder(
    folder: string,
    { cacheDir, ignore, signal }: ReadFolderOptions,
  ): AsyncGenerator<FolderEvent, ReadFolder, undefined> {
    const events: FolderEvent[] = [];
    let wake = Promise.withResolvers<void>();
    const result = this.#run({ is: 'folder', folder, cacheDir, ignore }, signal, (event) => {
      events.push(event);
      wake.resolve();
    });
    let isDone = false;
    const end = () => {
      isDone = true;
      wake.resolve();
    };
    result.then(end, end);
    for (;;) {
      for (let event: FolderEvent | undefined; (event = events.shift()) !== undefined;) yield event;
      if (isDone) return (await result) as ReadFolder;
      await wake.promise;
      wake = Promise.withResolvers();
    }
  }

  async readSmallFiles(
    root: string,
    files: readonly SmallFile[],
    signal: AbortSignal,
  ): Promise<Uint8Array<ArrayBuffer>> {
    return (await this.#run({ is: 'contents', root, files }, signal)) as Uint8Array<ArrayBuffer>;
  }

  /** Ends all threads. Waits at most half a second for those that a drive blocks. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    for (const { result } of this.#waiting.splice(0)) result.reject(abortedError());
    await Promise.all([...this.#threads].map((thread) => thread.end()));
  }

  async #run(job: DiskJob, signal: AbortSignal | undefined, onEvent: Task['onEvent'] = () => {}): Promise<unknown> {
    if (signal?.aborted) throw abortedError();
    const task: Task = { job, onEvent, result: Promise.withResolvers() };
    const onAbort = () => {
      const index = this.#waiting.indexOf(task);
      if (index >= 0) this.#waiting.splice(index, 1);
      for (const thread of this.#threads) if (thread.task === task) thread.abort();
      task.result.reject(abortedError());
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#waiting.push(task);
    this.#startWaiting();
    try {
      return await task.result.promise;
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  readonly #startWaiting = (): void => {
    for (const kind of ['folder', 'contents'] as const) {
      const isReading = [...this.#threads].some(({ task, isBlocked }) => task?.job.is === kind && !isBlocked());
      const next = this.#waiting.findIndex(({ job }) => job.is === kind);
      if (isReading || next < 0) continue;
      const idle = [...this.#threads].find(({ task, isEnding }) => task === null && !isEnding);
      (idle ?? this.#open()).start(this.#waiting.splice(next, 1)[0]!);
    }
    clearInterval(this.#timer);
    // A thread that becomes blocked gives no sign, so the threads are checked while tasks wait.
    if (this.#waiting.length > 0) this.#timer = setInterval(this.#startWaiting, BLOCKED_AFTER_MS / 4);
  };

  #open(): DiskThread {
    const thread = new DiskThread(this.#program, {
      onFree: this.#startWaiting,
      onEnd: () => {
        this.#threads.delete(thread);
        this.#startWaiting();
      },
    });
    this.#threads.add(thread);
    return thread;
  }
}

class DiskThread {
  /** What the thread reads. It stays after an abort, until the thread answers. */
  task: Task | null = null;
  /** True after `end()`. The thread accepts no tasks. */
  isEnding = false;
  readonly #worker: Worker;
  readonly #onFree: () => void;
  #lastSign = 0;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(program: URL, { onFree, onEnd }: { onFree(): void; onEnd(): void }) {
    this.#onFree = onFree;
    this.#worker = new Worker(program, { resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB } });
    this.#worker.unref();
    this.#worker.on('message', (answer: DiskAnswer) => this.#receive(answer));
    this.#worker.on('error', (error) => this.task?.result.reject(error));
    this.#worker.once('exit', () => {
      clearTimeout(this.#idleTimer);
      this.task?.result.reject(abortedError());
      onEnd();
    });
  }

  /** True if a drive has kept the thread from giving a sign. */
  readonly isBlocked = (): boolean => this.task !== null && performance.now() - this.#lastSign > BLOCKED_AFTER_MS;

  start(task: Task): void {
    clearTimeout(this.#idleTimer);
    this.task = task;
    this.#lastSign = performance.now();
    this.#post(task.job);
  }

  abort(): void {
    this.#post({ is: 'abort' });
  }

  /** Aborts the task and ends the thread. Does not wait for a drive that blocks it. */
  end(): Promise<void> {
    this.isEnding = true;
    this.#post({ is: 'end' });
    return waitForEnd(this.#worker, END_LIMIT_MS);
  }

  #post(request: DiskRequest): void {
    this.#worker.postMessage(request, []);
  }

  #receive(answer: DiskAnswer): void {
    this.#lastSign = performance.now();
    const { task } = this;
    if (answer.is === 'responding' || task === null) return;
    if (answer.is === 'event') return task.onEvent(answer.event);
    this.task = null;
    if (answer.is === 'done') task.result.resolve(answer.value);
    else task.result.reject(new ClientError(answer.kind, answer.message, { file: answer.file ?? undefined }));
    this.#idleTimer = setTimeout(() => void this.end(), IDLE_MS).unref();
    this.#onFree();
  }
}
