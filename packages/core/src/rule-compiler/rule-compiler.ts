import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { unavailable } from '../errors.ts';
import { compileRuleFiles, type CompileResult, type RuleFileBytes } from './compile-rule-files.ts';

/** Compiles rule files. Files that take long are compiled on a thread, one deployment after the other. */
export interface RuleCompiler {
  /**
   * Compiles the rule files of a deployment, as {@link compileRuleFiles} does.
   *
   * @throws ServiceError `unavailable` if the thread ends or exceeds its time.
   */
  compile(files: RuleFileBytes, paths: readonly string[]): Promise<CompileResult>;
  /** Ends the thread. Pending compilations fail. */
  close(): Promise<void>;
}

/** What the thread gets. */
export interface CompileJob {
  files: RuleFileBytes;
  paths: readonly string[];
}

interface RuleCompilerOptions {
  /** The maximum time of one compilation in milliseconds, with the start of the thread. Default: 10,000. */
  maxMs?: number;
  /** How long the thread stays without work, in milliseconds. Default: 10,000. */
  idleMs?: number;
  /** The program of the thread. Default: the one that compiles. */
  program?: URL;
}

/** Smaller files are compiled at once, in about a millisecond. */
const MAX_SYNC_BYTES = 8 * 1024;
const MAX_SYNC_PATHS = 500;
/** The memory of the thread. Files that use all limits take a third of it. */
const THREAD_LIMITS = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 16 };

/** Creates a rule compiler. The thread starts on first use and does not keep the process alive. */
export function createRuleCompiler({
  maxMs = 10_000,
  idleMs = 10_000,
  program = new URL('./rule-worker.ts', import.meta.url),
}: RuleCompilerOptions = {}): RuleCompiler {
  let worker: Worker | null = null;
  let idleTimer: NodeJS.Timeout | undefined;
  let lastJob: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  function start(): Worker {
    const startedWorker = new Worker(program, { resourceLimits: THREAD_LIMITS });
    const onEnd = () => {
      if (worker === startedWorker) worker = null;
    };
    // Also keeps an error of an idle thread from ending the process.
    startedWorker.on('error', onEnd).on('exit', onEnd);
    return startedWorker;
  }

  async function end(): Promise<void> {
    const endingWorker = worker;
    worker = null;
    await endingWorker?.terminate();
  }

  async function runJob(job: CompileJob): Promise<CompileResult> {
    if (isClosed) throw unavailable('The server is stopping; send the deploy again.');
    clearTimeout(idleTimer);
    worker ??= start();
    const { signal, abort } = timeLimit(maxMs);
    worker.once('exit', abort);
    worker.ref();
    try {
      worker.postMessage(job, []);
      const [result] = (await once(worker, 'message', { signal })) as [CompileResult];
      return result;
    } catch (error) {
      await end();
      throw unavailable('The rule files could not be compiled in time; send the deploy again.', error);
    } finally {
      worker?.off('exit', abort);
      worker?.unref();
      idleTimer = setTimeout(() => void end(), idleMs).unref();
    }
  }

  return {
    async compile(files, paths) {
      const sizeBytes = Object.values(files).reduce((sum, { length }) => sum + length, 0);
      const isQuick = sizeBytes === 0 || (sizeBytes <= MAX_SYNC_BYTES && paths.length <= MAX_SYNC_PATHS);
      if (isQuick) return compileRuleFiles(files, paths);
      const job = lastJob.then(() => runJob({ files, paths }));
      lastJob = job.catch(() => {});
      return job;
    },
    async close() {
      isClosed = true;
      clearTimeout(idleTimer);
      await end();
    },
  };
}

/** A signal that aborts after a time, or earlier by `abort`. The timer does not keep the process alive. */
function timeLimit(ms: number): { signal: AbortSignal; abort: () => void } {
  const controller = new AbortController();
  const signal = AbortSignal.any([controller.signal, AbortSignal.timeout(ms)]);
  return { signal, abort: () => controller.abort() };
}
