import cluster from 'node:cluster';
import { armFailpoint, recordHeartbeat, type Core } from '@berth/core';
import { readConfig } from '../config/config.ts';
import { Health } from '../health/health.ts';
import { createProbes } from '../health/probes.ts';
import { HttpListener } from '../http/http-listener.ts';
import { boundHeap, returnMemoryWhenIdle } from '../memory.ts';
import { snapshotProcess } from '../metrics/process-metrics.ts';
import { startHeartbeat } from '../service/jobs.ts';
import { createLogger } from '../logging/logger.ts';
import { openCore } from '../service/open-core.ts';
import { serve } from '../server.ts';
import { REPORT_METRICS, type WorkerCommand, type WorkerFailure, type WorkerReply } from './worker-process.ts';

/** Executes the commands of the first process. When the first process is gone, finishes running requests and exits. */
export function runWorker(): void {
  boundHeap();
  returnMemoryWhenIdle();
  const worker = cluster.worker!;
  const config = readConfig(process.env);
  const log = createLogger({ level: config.logLevel, format: config.logFormat, worker: worker.id });
  armFailpoint(config.failpoint);
  const health = new Health(log);
  const listener = new HttpListener(config, log, { shared: true, probes: createProbes(health) });
  const resources = new AsyncDisposableStack();
  let core: Core | null = null;

  async function execute(command: WorkerCommand): Promise<void> {
    switch (command) {
      case 'listen':
        await listener.listen();
        return;
      case 'serve': {
        core = await openCore(config, { log, resources, visitor: true });
        await recordHeartbeat(core);
        startHeartbeat(core, resources);
        serve({ listener, core, config, health, log });
        await listener.listen();
        return;
      }
      case 'drain':
        health.drain();
        return;
      case 'stop':
        core?.activityFeed.end();
        await listener.close();
        await resources.disposeAsync();
        return;
      default:
        command satisfies never;
    }
  }

  let lastCommand = Promise.resolve();
  function enqueue(command: WorkerCommand): void {
    lastCommand = lastCommand
      .then(() => execute(command))
      .then(
        () => reply({ done: command }),
        async (error: NodeJS.ErrnoException & WorkerFailure) => {
          await reply({ failed: { message: error.message, code: error.code, port: error.port } });
          process.exit(1);
        },
      )
      .then(() => {
        if (command === 'stop') void log.flush().then(() => process.exit(0));
      });
  }

  worker.on('disconnect', () => {
    // Without `exitedAfterDisconnect`, node:cluster would end the process at once.
    worker.exitedAfterDisconnect = true;
    log.warn({}, 'The first process is gone; finishing running requests and exiting');
    enqueue('stop');
  });
  process.on('message', (message: WorkerCommand | typeof REPORT_METRICS) => {
    // Metrics are reported at once, also while a command is being executed.
    if (message === REPORT_METRICS) void snapshotProcess(core).then((metrics) => reply({ metrics }));
    else enqueue(message);
  });
  void reply({ done: 'up' });
}

/** Resolves once the reply is sent, or at once if the first process is gone. */
function reply(message: WorkerReply): Promise<void> {
  return new Promise((resolve) => {
    if (process.connected) process.send!(message, undefined, undefined, () => resolve());
    else resolve();
  });
}
