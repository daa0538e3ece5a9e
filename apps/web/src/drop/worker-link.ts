import { nextConnection, onConnectionChange } from './connection.ts';
import type { Command, Report } from './messages.ts';
import { nextTask } from './next-task.ts';

/** The part of a worker that drops use. */
export type DropsWorker = Pick<Worker, 'postMessage' | 'addEventListener'>;

/**
 * Why the worker has not started. Without a connection it starts later; with an old browser, or after an update of the server that has
 * removed its script, it starts only when it is asked to.
 */
export type StartFailure = 'offline' | 'old-browser' | 'updated';

/** A worker that starts at its first command. Commands wait until it runs, and arrive in their order. */
export interface WorkerLink {
  send(command: Command): void;
  /** Removes the commands of a drop that the worker has not received. */
  forget(id: string): void;
  /** Starts the worker again after it has failed. */
  restart(): void;
}

interface WorkerLinkOptions {
  start: () => DropsWorker;
  /** The address of its script. */
  url: string;
  onReport: (report: Report) => void;
  onFailure: (failure: StartFailure) => void;
}

/** Creates a link to a worker that has not started yet. */
export function createWorkerLink({ start, url, onReport, onFailure }: WorkerLinkOptions): WorkerLink {
  let worker: DropsWorker | null = null;
  let isReady = false;
  let waiting: Command[] = [];
  let isRepeated = false;
  /** What the worker knows of the connection. Workers do not learn of it themselves in every browser. */
  let isWorkerOnline = true;

  function begin(): void {
    isReady = false;
    isWorkerOnline = true;
    worker = start();
    worker.addEventListener('message', ({ data }: MessageEvent<Report>) => {
      if (data.report !== 'ready') return onReport(data);
      isReady = true;
      isRepeated = false;
      reportConnection(navigator.onLine);
      void postWaiting();
    });
    worker.addEventListener('error', () => void (isReady || handleFailure()));
  }

  async function handleFailure(): Promise<void> {
    const failure = await findFailure(url);
    // The connection may have come back since the worker failed.
    const isFinal = failure === 'updated' || (failure === 'old-browser' && isRepeated);
    isRepeated = failure === 'old-browser';
    if (isFinal || failure === 'offline') onFailure(failure);
    worker = null;
    if (isFinal) return;
    if (failure === 'offline') await nextConnection();
    if (worker === null) begin();
  }

  /** Lets the page render after each group of files: 10,000 files in one task would block it for a second. */
  async function postWaiting(): Promise<void> {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      post(next);
      if (next.do === 'add') await nextTask();
    }
  }

  function post(command: Command): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has one page
    worker!.postMessage(command);
  }

  function reportConnection(isOnline: boolean): void {
    if (!isReady || isOnline === isWorkerOnline) return;
    isWorkerOnline = isOnline;
    post({ do: 'connection', isOnline });
  }

  onConnectionChange(reportConnection);
  return {
    send(command) {
      if (isReady && worker !== null && waiting.length === 0) {
        reportConnection(navigator.onLine);
        return post(command);
      }
      waiting.push(command);
      if (worker === null) begin();
    },
    forget(id) {
      waiting = waiting.filter((command) => idOf(command) !== id);
    },
    restart() {
      if (worker === null) begin();
    },
  };
}

function idOf(command: Command): string | null {
  if (command.do === 'publish') return command.drop.id;
  return 'id' in command ? command.id : null;
}

/** Finds out why a script did not start: a script that arrives is one that the browser cannot run. */
async function findFailure(url: string): Promise<StartFailure> {
  try {
    const { ok } = await fetch(url, { method: 'HEAD', cache: 'no-store' });
    return ok ? 'old-browser' : 'updated';
  } catch {
    return 'offline';
  }
}
