import type { WatchEvent } from '@berth/client';
import type { Domain } from '@berth/contract';
import type { FolderState, WatchedFolder } from '../../shared/folder.ts';
import type { Problem } from '../../shared/problem.ts';
import { problemOf } from '../problem.ts';
import { beginProgress, type ProgressView, showProgress } from '../progress.ts';

/** What the events of a watch have led to so far. */
export interface FolderView extends Pick<WatchedFolder, 'state' | 'url' | 'live' | 'leftOut' | 'polling' | 'needsDns'> {
  /** Of the deploy that is under way; `null` while there is none. */
  deploy: ProgressView | null;
}

/** A folder of which nothing was heard since the app started. What was live is still shown. */
export function beginFolder({ url, live, needsDns }: Pick<FolderView, 'url' | 'live' | 'needsDns'>): FolderView {
  return { state: { is: 'starting' }, url, live, needsDns, leftOut: [], polling: null, deploy: null };
}

/** The same folder, elsewhere: nothing is under way in it. */
export function become(view: FolderView, state: FolderState): FolderView {
  return { ...view, state, deploy: null };
}

/**
 * What an event leads to. Pure. `live` is said only when the engine has said that what the folder holds is what is live.
 *
 * @param nowMs The moment of the event, in Unix milliseconds.
 * Source: design of the desktop app, §5, §8.
 */
export function showWatch(view: FolderView, event: WatchEvent, nowMs: number): FolderView {
  switch (event.type) {
    case 'watching':
      return become(view, { is: 'starting' });
    case 'settling':
      return become(view, { is: 'settling' });
    case 'published': {
      const { deployment, files, size } = event.deployment;
      const live = { deployment, files, bytes: size, at: nowMs };
      return { ...become(view, { is: 'live' }), live, url: event.url };
    }
    case 'unchanged':
      return become(view, { is: 'live' });
    case 'missing':
      return become(view, { is: 'missing', reason: event.reason });
    case 'failed':
      return failed(view, event, nowMs);
    case 'pruned':
      return view;
    case 'polling':
      return { ...view, polling: { everyMs: event.everyMs, reason: event.reason } };
    default: {
      const deploy = showProgress(view.deploy ?? beginProgress(), event, nowMs);
      const needsDns = event.type === 'linked' ? lacksDns(event.domain) : view.needsDns;
      return {
        ...view,
        state: { is: 'publishing', progress: deploy.progress },
        deploy,
        leftOut: deploy.leftOut,
        needsDns,
      };
    }
  }
}

/** Whether a domain is not served because its DNS records were not seen. */
export function lacksDns({ status }: Pick<Domain, 'status'>): boolean {
  return status === 'pending' || status === 'partial';
}

function failed(view: FolderView, { error, waitMs }: WatchEvent & { type: 'failed' }, nowMs: number): FolderView {
  // The session says the rest, for all folders of the server.
  if (error.status === 401) return become(view, { is: 'signed-out' });
  const problem = withNext(problemOf(error), view);
  if (waitMs !== null) return become(view, { is: 'waiting', problem, until: nowMs + waitMs });
  return isOfOldVersions(view, error.kind) ? view : become(view, { is: 'failed', problem });
}

/** What is refused when everything is there is the name. */
function withNext(problem: Problem, { state }: FolderView): Problem {
  const isOfName = state.is === 'publishing' && state.progress.phase === 'linking' && problem.kind === 'refused';
  return isOfName ? { ...problem, next: 'Choose another name: "Change address…" in the menu of the folder.' } : problem;
}

/**
 * Whether it is old versions that could not be deleted, which is tried again after the next deploy: what is live is as it
 * should be. A deploy that may succeed another time is always tried again, and one that is not allowed follows on `publishing`.
 */
function isOfOldVersions({ state }: FolderView, kind: (WatchEvent & { type: 'failed' })['error']['kind']): boolean {
  return (
    (kind !== 'refused' && kind !== 'folder' && kind !== 'signed-out') || (kind === 'signed-out' && state.is === 'live')
  );
}
