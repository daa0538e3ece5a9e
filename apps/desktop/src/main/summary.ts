import { count } from '@berth/client/amounts';
import type { FolderState, WatchedFolder } from '../shared/folder.ts';
import type { Publishing } from '../shared/publishing.ts';
import { blockingProblem } from '../shared/blocking-problem.ts';
import { latestLinks } from '../shared/latest-links.ts';
import type { AppStatus, Summary } from './backend.ts';

/** How long a failed publish job keeps the status at `error`, in milliseconds. */
const SHOW_FAILURE_FOR_MS = 3_600_000;

type Folders = readonly Pick<WatchedFolder, 'id' | 'name' | 'state' | 'url' | 'live'>[];

export interface SummaryInput {
  /** The publish jobs, newest first. */
  publishings: readonly Pick<Publishing, 'id' | 'name' | 'state'>[];
  /** The times at which publish jobs failed, by id, in Unix milliseconds. */
  failedAt: ReadonlyMap<string, number>;
  folders: Folders;
  online: boolean;
  nowMs: number;
}

/**
 * Summarizes the status of the app. The order of precedence is: an error, work, a missing network or server, a pause. The app is
 * paused if a folder needs the user to sign in, or if all folders are paused. The app is up to date only if every folder that is
 * not paused is live.
 *
 * Source: desktop §8.12, §8.13.
 */
export function summarize(input: SummaryInput): Summary {
  const { status, text } = statusOf(input);
  const folders = input.folders.map(({ id, name, state }) => ({ id, name, paused: state.is === 'paused' }));
  const links = latestLinks(input, input.nowMs).map(({ name, url }) => ({ name, url }));
  return { status, text, progress: progressOf(input), links, folders };
}

function statusOf({ publishings, failedAt, folders, online, nowMs }: SummaryInput): Pick<Summary, 'status' | 'text'> {
  const result = (status: AppStatus, text: string) => ({ status, text });
  const foldersIn = (is: FolderState['is']): Folders => folders.filter(({ state }) => state.is === is);

  const isRecent = (id: string) => nowMs - (failedAt.get(id) ?? 0) < SHOW_FAILURE_FOR_MS;
  const failedItems = [
    ...publishings.filter(({ id, state }) => state.is === 'failed' && isRecent(id)),
    ...folders.filter(({ state }) => blockingProblem(state) !== null),
  ];
  if (failedItems.length > 0) return result('error', `${nameOrCount(failedItems, 'site')} could not be published.`);
  const askingItems = publishings.filter(({ state }) => state.is === 'asking');
  if (askingItems.length > 0)
    return result('error', `${nameOrCount(askingItems, 'item')} ${needs(askingItems)} an answer.`);
  const workingItems = [
    ...publishings.filter(({ state }) => state.is === 'working' || state.is === 'building' || state.is === 'queued'),
    ...foldersIn('building'),
    ...foldersIn('publishing'),
  ];
  if (workingItems.length > 0)
    return result('working', `${nameOrCount(workingItems, 'site')} ${isOrAre(workingItems)} being published.`);
  if (!online) return result('offline', 'Offline. Publishing resumes automatically.');
  const [waiting, signedOut, missing] = [foldersIn('waiting'), foldersIn('signed-out'), foldersIn('missing')];
  if (waiting.length > 0)
    return result('offline', `${nameOrCount(waiting, 'folder')} ${isOrAre(waiting)} waiting for the server.`);
  if (signedOut.length > 0) return result('paused', `Sign in to publish ${nameOrCount(signedOut, 'folder')}.`);
  const verb = missing.length === 1 ? 'has' : 'have';
  if (missing.length > 0) return result('error', `${nameOrCount(missing, 'folder')} ${verb} nothing to publish.`);
  if (folders.length === 0) return result('idle', 'Drop a folder to get a link.');
  const isPaused = folders.every(({ state }) => state.is === 'paused');
  return isPaused
    ? result('paused', `${nameOrCount(folders, 'folder')} ${isOrAre(folders)} paused.`)
    : result('idle', 'Everything is up to date.');
}

/** The done part of everything that runs, from 0 to 1. The bytes of each item count equally, whatever its size. */
function progressOf({ publishings, folders }: SummaryInput): number | null {
  const parts = [...publishings, ...folders].flatMap(({ state }) => {
    if (state.is !== 'working' && state.is !== 'publishing') return [];
    const { progress } = state;
    if (progress.phase === 'sending') return [0.1 + 0.9 * (progress.done.bytes / Math.max(1, progress.total.bytes))];
    return progress.phase === 'finishing' || progress.phase === 'linking' ? [1] : [0];
  });
  if (parts.every((part) => part === 0)) return null;
  return Math.round((100 * parts.reduce((sum, part) => sum + part, 0)) / parts.length) / 100;
}

function isOrAre({ length }: readonly unknown[]): string {
  return length === 1 ? 'is' : 'are';
}

function needs({ length }: readonly unknown[]): string {
  return length === 1 ? 'needs' : 'need';
}

/** The name of a single item, or the number of several items. */
function nameOrCount(items: readonly { name: string }[], noun: string): string {
  const [only] = items;
  return only && items.length === 1 ? only.name : count(items.length, noun);
}
