import cluster from 'node:cluster';
import { armFailpoint, beat, type Core } from '@berth/core';
import { readConfig } from '../config.ts';
import { createDoor } from '../door.ts';
import { startHeartbeat } from '../jobs.ts';
import { createLogger } from '../logger.ts';
import { openCore } from '../open-core.ts';
import { serve } from '../server.ts';
import type { Order, Report, WorkerFailure } from './messages.ts';

/**
 * Makes this process a worker: it does what the first process tells it, and when that is gone it finishes running requests
 * and ends.
 */
export function obeyFirstProcess(): void {
  const worker = cluster.worker!;
  const config = readConfig(process.env);
  const log = createLogger({ level: config.logLevel }).child({ worker: worker.id });
  armFailpoint(config.failpoint);
  const door = createDoor(config, log, { shared: true });
  const resources = new AsyncDisposableStack();
  let core: Core | null = null;

  async function obey(order: Order): Promise<void> {
    switch (order) {
      case 'listen':
        await door.listen();
        return;
      case 'serve': {
        core = await openCore(config, { log, resources, visitor: true });
        await beat(core);
        const heartbeat = startHeartbeat(core);
        resources.defer(() => heartbeat.stop());
        serve({ door, core, config, log });
        await door.listen();
        return;
      }
      case 'stop':
        core?.activityFeed.end();
        await door.close();
        await resources.disposeAsync();
        return;
      default:
        order satisfies never;
    }
  }

  let last = Promise.resolve();
  /** Obeys once everything that was told before is done. */
  function obeyNext(order: Order): void {
    last = last
      .then(() => obey(order))
      .then(
        () => tell({ done: order }),
        async (error: NodeJS.ErrnoException & WorkerFailure) => {
          await tell({ failed: { message: error.message, code: error.code, port: error.port } });
          process.exit(1);
        },
      )
      .then(() => {
        if (order === 'stop') process.exit(0);
      });
  }

  worker.on('disconnect', () => {
    // Else node:cluster ends the process at once.
    worker.exitedAfterDisconnect = true;
    log.warn({}, 'The first process is gone: this one finishes running requests and ends');
    obeyNext('stop');
  });
  process.on('message', obeyNext);
  void tell({ done: 'up' });
}

/** Resolves when it was sent, or nobody is there to hear it. */
function tell(report: Report): Promise<void> {
  return new Promise((resolve) => {
    if (process.connected) process.send!(report, undefined, undefined, () => resolve());
    else resolve();
  });
}
