import { ConfigError } from './config/environment-reader.ts';
import { readConfig } from './config/config.ts';
import { welcome } from './welcome.ts';
import { createLogger } from './logging/logger.ts';
import type { Berth } from './server.ts';

/** Ctrl-C can reach this process twice: from the terminal, and from npm, which forwards the signal. */
const DUPLICATE_SIGNAL_MS = 500;

/** Runs a server. The first SIGTERM or SIGINT stops it after the running requests; a second one stops it at once. */
async function main(): Promise<void> {
  const { logLevel, logFormat, workers } = readConfig(process.env);
  const log = createLogger({ level: logLevel, format: logFormat, isShared: workers > 1 });
  const exit = (code: number) => void log.flush().then(() => process.exit(code));
  let berth: Promise<Omit<Berth, 'core'>> | null = null;
  let stoppingSince: number | null = null;
  const stopOnSignal = (signal: NodeJS.Signals) => {
    const now = performance.now();
    if (stoppingSince !== null && now - stoppingSince < DUPLICATE_SIGNAL_MS) return;
    if (stoppingSince !== null) process.exit(1);
    stoppingSince = now;
    log.info({ signal }, 'Stopping after the running requests; a second signal stops at once');
    void berth
      ?.then((running) => running.close())
      .then(
        () => exit(0),
        (error: unknown) => {
          log.error({ err: error }, 'Stopping failed');
          exit(1);
        },
      );
  };
  process.on('SIGTERM', stopOnSignal);
  process.on('SIGINT', stopOnSignal);
  const giveUp = (error: Error) => {
    log.error({ err: error }, `Berth exits: ${error.message}`);
    exit(1);
  };
  // Each mode imports only what it needs, so that a process that serves no requests uses less memory.
  berth =
    workers === 1
      ? import('./server.ts').then(({ startBerth }) => startBerth(process.env, log, { giveUp }))
      : import('./workers/start-workers.ts').then(({ startWorkers }) => startWorkers(process.env, log, giveUp));
  const { config, ownerKey } = await berth;
  // Lines of JSON have standard output to themselves, so that programs can read every line.
  const humanOutput = logFormat === 'json' ? process.stderr : process.stdout;
  humanOutput.write(welcome(config, ownerKey));
  log.info({ url: config.baseUrl.origin, sites: config.platformDomain }, 'Listening');
}

main().catch((error: unknown) => {
  process.stderr.write(`${explainError(error)}\n`);
  process.exit(1);
});

function explainError(error: unknown): string {
  if (error instanceof ConfigError) return `Berth cannot start with this configuration:\n${error.message}`;
  const { code, message, port } = error as NodeJS.ErrnoException & { port?: number };
  if (code === 'EADDRINUSE')
    return `Berth cannot start: port ${port} is in use. Stop the program that uses it, or set PORT to another port.`;
  return `Berth cannot start: ${message}`;
}
