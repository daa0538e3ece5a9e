import { count } from '@berth/client/amounts';
import type { FolderState, WatchedFolder } from '../shared/folder.ts';
import type { Publishing } from '../shared/publishing.ts';
import { blockingProblem } from '../shared/blocking-problem.ts';
import type { AppStatus, Summary } from './backend.ts';

/** How long a failed publishing keeps the status at `error`, in milliseconds. */
const SHOW_FAILURE_FOR_MS = 3_600_000;
const MAX_LINKS = 5;

type Folders = readonly Pick<WatchedFolder, 'id' | 'name' | 'state' | 'url' | 'live'>[];

export interface SummaryInput {
  /** Newest first. */
  publishings: readonly Pick<Publishing, 'id' | 'name' | 'state'>[];
  /** The times at which publishings failed, by id, in Unix milliseconds. */
  failedAt: ReadonlyMap<string, number>;
  folders: Folders;
  online: boolean;
  nowMs: number;
}

/**
 * Summarizes the status of the app. Pure. An error takes precedence over work, work over a missing network or server, and that
 * over a pause. The app is paused if a folder needs the user to sign in, or if all folders are paused. It is up to date only if
 * every folder that is not paused is.
 *
 * Source: desktop §8.12, §8.13.
 */
export function summarize(input: SummaryInput): Summary {
  const { status, text } = statusOf(input);
  const folders = input.folders.map(({ id, name, state }) => ({ id, name, paused: state.is === 'paused' }));
  return { status, text, links: linksOf(input), folders };
}

function statusOf({ publishings, failedAt, folders, online, nowMs }: SummaryInput): {
  status: AppStatus;
  text: string;
} {
  const failed = [
    ...publishings.filter(
      ({ id, state }) => state.is === 'failed' && nowMs - (failedAt.get(id) ?? 0) < SHOW_FAILURE_FOR_MS,
    ),
    ...folders.filter(({ state }) => blockingProblem(state) !== null),
  ];
  if (failed.length > 0) return { status: 'error', text: `${nameOrCount(failed, 'site')} could not be published.` };
  const working = [
    ...publishings.filter(({ state }) => state.is === 'working' || state.is === 'queued'),
    ...folders.filter(({ state }) => state.is === 'publishing'),
  ];
  if (working.length > 0)
    return {
      status: 'working',
      text: `${nameOrCount(working, 'site')} ${isOrAre(working)} being published.`,
    };
  if (!online) return { status: 'offline', text: 'Offline. Publishing resumes automatically.' };
  const foldersIn = (is: FolderState['is']): Folders => folders.filter(({ state }) => state.is === is);
  const [waiting, signedOut, missing] = [foldersIn('waiting'), foldersIn('signed-out'), foldersIn('missing')];
  if (waiting.length > 0)
    return { status: 'offline', text: `${nameOrCount(waiting, 'folder')} ${isOrAre(waiting)} waiting for the server.` };
  if (signedOut.length > 0)
    return { status: 'paused', text: `Sign in to publish ${nameOrCount(signedOut, 'folder')}.` };
  if (missing.length > 0)
    return {
      status: 'idle',
      text: `${nameOrCount(missing, 'folder')} ${missing.length === 1 ? 'has' : 'have'} nothing to publish.`,
    };
  const isPaused = folders.length > 0 && folders.every(({ state }) => state.is === 'paused');
  if (isPaused)
    return {
      status: 'paused',
      text: `${nameOrCount(folders, 'folder')} ${isOrAre(folders)} paused.`,
    };
  return { status: 'idle', text: folders.length > 0 ? 'Everything is up to date.' : 'Drop a folder to get a link.' };
}

function isOrAre({ length }: readonly unknown[]): string {
  return length === 1 ? 'is' : 'are';
}

/** The name of a single thing, or the number of several. */
function nameOrCount(things: readonly { name: string }[], noun: string): string {
  const [only] = things;
  return only && things.length === 1 ? only.name : count(things.length, noun);
}

function linksOf({ publishings, folders, nowMs }: SummaryInput): Summary['links'] {
  const links = [
    ...publishings.flatMap(({ name, state }) => {
      if (state.is !== 'published') return [];
      const { url, at, expires } = state.published;
      return expires !== null && expires * 1_000 <= nowMs ? [] : [{ name, url, at }];
    }),
    ...folders.flatMap(({ name, url, live }) => (url !== null && live ? [{ name, url, at: live.at }] : [])),
  ].toSorted((a, b) => b.at - a.at);
  const newest = new Map<string, { name: string; url: string }>();
  for (const { name, url } of links) if (!newest.has(url)) newest.set(url, { name, url });
  return [...newest.values()].slice(0, MAX_LINKS);
}
