// Publishes drops, so that the page stays responsive: lists, judges, hashes and sends their files.
import './jitless.ts';
import { ClientError, createClient } from '@berth/client/browser';
import { SessionState } from '@berth/contract';
import { consoleFetch } from '../../console-fetch.ts';
import type { Command, Drop, ListedFile, Report } from '../messages.ts';
import { Job } from './job.ts';
import type { FileLimits } from './judge.ts';
import { zipSource } from './read-zip.ts';
import { type SavedUpload, savedUploads } from './saved-uploads.ts';
import { directorySource, filesSource, type Source } from './sources.ts';

/** The worker itself. The types of workers and of pages exclude each other. */
const scope = globalThis as unknown as EventTarget & { postMessage(message: Report): void };
const jobs = new Map<string, Job>();
/** The files of the drops that the page lists, while they arrive and afterwards. */
const lists = new Map<string, { files: ListedFile[]; complete: PromiseWithResolvers<void> }>();
/** The uploads of an earlier page whose files must be chosen again. */
const waiting = new Map<string, SavedUpload>();
let turn: Promise<unknown> = Promise.resolve();
let isOnline = true;

scope.addEventListener('message', (event) => void execute((event as MessageEvent<Command>).data));
report({ report: 'ready' });

async function execute(command: Command): Promise<void> {
  switch (command.do) {
    case 'publish':
      return publish(command.drop);
    case 'add': {
      const list = lists.get(command.id);
      list?.files.push(...command.files);
      if (command.isLast) list?.complete.resolve();
      return;
    }
    case 'answer':
      return jobs.get(command.id)?.answer(command.instead);
    case 'pause':
      return jobs.get(command.id)?.pause();
    case 'resume':
      return jobs.get(command.id)?.resume();
    case 'retry':
      return jobs.get(command.id)?.run();
    case 'cancel':
      return cancel(command.id);
    case 'forget':
      return forget(command.id);
    case 'connection':
      ({ isOnline } = command);
      for (const job of jobs.values()) job.onConnection();
      return;
    case 'restore':
      return restore(command.isSignedIn);
    default:
      command satisfies never;
  }
}

async function publish(drop: Drop): Promise<void> {
  if (drop.origin.kind === 'list') lists.set(drop.id, { files: [], complete: Promise.withResolvers() });
  await createJob(drop, takeWaiting(drop)).run();
}

/** Returns the upload of an earlier page that the drop continues: that of a folder with the same name. */
function takeWaiting({ name, isSignedIn }: Drop): SavedUpload | undefined {
  const saved = [...waiting.values()].find((each) => each.name === name && each.isSignedIn === isSignedIn);
  if (!saved) return undefined;
  waiting.delete(saved.id);
  jobs.delete(saved.id);
  void savedUploads.remove(saved.id);
  report({ report: 'gone', id: saved.id });
  return saved;
}

function createJob(drop: Drop, saved?: SavedUpload): Job {
  const client = createClient({ server: location.origin, fetch: consoleFetch, hasSession: drop.isSignedIn });
  const job: Job = new Job(drop, {
    client,
    saved,
    open: (limits) => openSource(drop, limits),
    readLimits: () => (drop.isSignedIn ? client.api.platform.limits.query() : readAnonymousLimits()),
    isOnline: () => isOnline,
    inTurn: async (step) => {
      const own = turn.then(step, step);
      turn = own.catch(() => {});
      return own;
    },
    show: (publishing) => jobs.get(drop.id) === job && report({ report: 'state', publishing }),
  });
  jobs.set(drop.id, job);
  return job;
}

/** Reads the limits of a drop without an account. @throws ClientError if this server publishes only for accounts. */
async function readAnonymousLimits(): Promise<FileLimits | null> {
  const response = await consoleFetch('/session').catch(() => null);
  // Without an answer, the server checks the limits later.
  if (!response?.ok) return null;
  const { anonymous } = SessionState.parse(await response.json());
  if (anonymous === null) throw new ClientError('refused', 'Anonymous deploys are off.', { status: 403 });
  return anonymous;
}

async function openSource({ id, origin }: Drop, limits: FileLimits | null): Promise<Source> {
  switch (origin.kind) {
    case 'directory':
      return directorySource(origin.handle);
    case 'zip':
      return zipSource(origin.file, limits);
    case 'list': {
      const { files, complete } = lists.get(id)!;
      await complete.promise;
      return filesSource(files.map(({ path, file }) => ({ path, open: () => file })));
    }
    default:
      return origin satisfies never;
  }
}

function cancel(id: string): void {
  jobs.get(id)?.cancel();
  if (waiting.delete(id)) {
    jobs.delete(id);
    void savedUploads.remove(id);
    report({ report: 'gone', id });
  }
}

/** Ends a drop that the page no longer shows. */
function forget(id: string): void {
  const job = jobs.get(id);
  jobs.delete(id);
  lists.delete(id);
  waiting.delete(id);
  job?.cancel();
  void savedUploads.remove(id);
}

/** Shows the uploads of earlier pages, and continues those whose folder may be read. Skips those that another page continues. */
async function restore(isSignedIn: boolean): Promise<void> {
  for (const saved of await savedUploads.list())
    if (saved.isSignedIn === isSignedIn && !jobs.has(saved.id)) void holdAlone(saved.id, () => restoreUpload(saved));
}

/** Runs work unless another page is already doing it. Pages without TLS have no locks, and always run it. */
async function holdAlone(id: string, work: () => Promise<void>): Promise<void> {
  const { locks } = navigator as { locks?: LockManager };
  if (!locks) return work();
  await locks.request(`berth-upload-${id}`, { ifAvailable: true }, async (lock) => lock && work());
}

async function restoreUpload(saved: SavedUpload): Promise<void> {
  const { id, name, kind, handle, isSignedIn, options } = saved;
  const origin = handle ? { kind: 'directory' as const, handle } : { kind: 'list' as const };
  const job = createJob({ id, name, kind, isSignedIn, options, isPasted: false, origin }, saved);
  if (!handle) {
    waiting.set(id, saved);
    await job.wait('choose-again').catch(() => {});
    return;
  }
  if ((await queryPermission(handle)) !== 'granted') {
    report({ report: 'handle', id, handle });
    try {
      await job.wait('permission');
    } catch {
      return savedUploads.remove(id);
    }
  }
  await job.run();
}

function queryPermission(handle: FileSystemDirectoryHandle): Promise<PermissionState> {
  return (handle as unknown as { queryPermission(of: { mode: 'read' }): Promise<PermissionState> }).queryPermission({
    mode: 'read',
  });
}

function report(message: Report): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has one page
  scope.postMessage(message);
}
