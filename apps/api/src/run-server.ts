import { once } from 'node:events';
import type { Log } from '@berth/core';
import { ConfigError } from './config/environment-reader.ts';
import { readConfig } from './config/config.ts';
import { boundHeap, returnMemoryWhenIdle } from './memory.ts';
import { welcome } from './welcome.ts';
import { createLogger, type ProcessLog } from './logging/logger.ts';
import type { Berth } from './server.ts';
import type { StopError } from './stop-signals.ts';

/**
 * Runs a server until `stop` is aborted, and exits: with 0 after a stop, also of a server that was still starting, and with
 * 1 and a message if the server cannot run. Source: api §12.
 */
export async function runServer(stop: AbortSignal): Promise<void> {
  boundHeap();
  returnMemoryWhenIdle();
  try {
    const { logLevel, logFormat, workers } = readConfig(process.env);
    const log = createLogger({ level: logLevel, format: logFormat, isShared: workers > 1 });
    stop.addEventListener('abort', () => logStop(log, stop));
    const berth = await startServer(workers, log, stop);
    if (berth && !stop.aborted) {
      // Lines of JSON have standard output to themselves, so that programs can read every line.
      const humanOutput = logFormat === 'json' ? process.stderr : process.stdout;
      const openLink = await berth.openLink(humanOutput.isTTY);
      humanOutput.write(welcome(berth.config, { ownerKey: berth.ownerKey, openLink }));
      log.info({ url: berth.config.baseUrl.origin, sites: berth.config.platformDomain }, 'Listening');
      await once(stop, 'abort');
    }
    await berth?.drain();
    const exitCode = await berth?.close().then(
      () => 0,
      (error: unknown) => {
        log.error({ err: error }, 'Stopping failed');
        return 1;
      },
    );
    await exit(log, exitCode ?? 0);
  } catch (error) {
    process.stderr.write(`${explainError(error)}\n`);
    process.exit(1);
  }
}

/** Starts a server. Returns `null` if it is stopped before it has started. */
async function startServer(workers: number, log: ProcessLog, stop: AbortSignal): Promise<Omit<Berth, 'core'> | null> {
  const giveUp = (error: Error) => {
    log.error({ err: error }, `Berth exits: ${error.message}`);
    void exit(log, 1);
  };
  const options = { giveUp, signal: stop };
  try {
    // Each mode imports only what it needs, so that a process that serves no requests uses less memory.
    return workers === 1
      ? await import('./server.ts').then(({ startBerth }) => startBerth(process.env, log, options))
      : await import('./workers/start-workers.ts').then(({ startWorkers }) => startWorkers(process.env, log, options));
  } catch (error) {
    if (stop.aborted) return null;
    throw error;
  }
}

/** Exits after the lines of the log are written. */
async function exit(log: ProcessLog, code: number): Promise<void> {
  await log.flush();
  process.exit(code);
}

function logStop(log: Log, stop: AbortSignal): void {
  const { signal } = stop.reason as StopError;
  log.info({ signal }, 'Stopping after the running requests; a second signal stops at once');
}

function explainError(error: unknown): string {
  if (error instanceof ConfigError) return `Berth cannot start with this configuration:\n${error.message}`;
  const { code, message, port } = error as NodeJS.ErrnoException & { port?: number };
  if (code === 'EADDRINUSE')
    return `Berth cannot start: port ${port} is in use. Stop the program that uses it, or set PORT to another port.`;
  return `Berth cannot start: ${message}`;
}
