import type { WatchEvent } from '@berth/client';
import type { Domain } from '@berth/contract';
import type { z } from 'zod';
import { type FolderState, PauseReason, WatchedFolder } from '../../shared/folder.ts';
import { ApprovedPath } from '../approval/approve.ts';
import { problemOf } from '../problem.ts';
import { BuildRun } from '../projects/run-build.ts';
import type { BuildOutput } from '../../shared/publishing.ts';
import { initialProgress, type ProgressView, applyDeployEvent } from '@berth/client/progress-view';

/** The stored record of a watched folder. Its password is in the keychain instead. */
export const FolderRecord = WatchedFolder.pick({
  id: true,
  server: true,
  domain: true,
  labels: true,
  password: true,
  url: true,
  live: true,
  needsDns: true,
}).extend({
  /** The absolute path. */
  path: ApprovedPath,
  /** The build that writes the folder, which the user has approved; `null` if the folder itself is watched. */
  build: BuildRun.nullable().default(null),
  paused: PauseReason.nullable(),
});
export type FolderRecord = z.infer<typeof FolderRecord>;

/** The name of a folder's password in the keychain. */
export const passwordName = (id: string) => `folder:${id}`;

/** The current state of a watched folder. */
export interface FolderView extends Pick<
  WatchedFolder,
  'state' | 'url' | 'live' | 'leftOut' | 'build' | 'polling' | 'needsDns'
> {
  /** The progress of the running deploy; `null` if no deploy is running. */
  deploy: ProgressView | null;
}

/** The state of a folder before the first event. It contains the last known live version. */
export function initialFolderView({
  url,
  live,
  needsDns,
  build,
}: Pick<FolderRecord, 'url' | 'live' | 'needsDns' | 'build'>): FolderView {
  const output = build && { command: build.command, text: '', isRunning: false };
  return { state: { is: 'starting' }, url, live, needsDns, leftOut: [], build: output, polling: null, deploy: null };
}

/** Changes the state of a folder and clears its running deploy. */
export function withState(view: FolderView, state: FolderState): FolderView {
  return { ...view, state, deploy: null };
}

/**
 * Applies an event to the state. The state is `live` only after the watch engine has confirmed that the live version equals the
 * folder.
 *
 * @param nowMs The time of the event, in Unix milliseconds.
 * Source: desktop §5, §8.
 */
export function applyWatchEvent(view: FolderView, event: WatchEvent, nowMs: number): FolderView {
  switch (event.type) {
    case 'watching':
      return withState(view, { is: 'starting' });
    case 'settling':
      return withState(view, { is: 'settling' });
    case 'published': {
      const { deployment, files, size } = event.deployment;
      const liveVersion = { deployment, files, bytes: size, at: nowMs };
      return { ...withState(view, { is: 'live' }), live: liveVersion, url: event.url };
    }
    case 'unchanged':
      return withState(view, { is: 'live' });
    case 'missing':
      return withState(view, { is: 'missing', reason: event.reason });
    case 'failed':
      return failedState(view, event, nowMs);
    case 'pruned':
      return view;
    case 'polling':
      return { ...view, polling: { everyMs: event.everyMs, reason: event.reason } };
    default: {
      const deploy = applyDeployEvent(view.deploy ?? initialProgress(), event, nowMs);
      const { progress, leftOut } = deploy;
      const needsDns = event.type === 'linked' ? lacksDns(event.domain) : view.needsDns;
      return { ...view, state: { is: 'publishing', progress }, deploy, leftOut, needsDns };
    }
  }
}

/** Applies the output of a build to the state. */
export function applyBuildOutput(view: FolderView, build: BuildOutput): FolderView {
  return { ...withState(view, { is: build.isRunning ? 'building' : 'settling' }), build };
}

/** True if a domain is not served because its DNS records are missing. */
export function lacksDns({ status }: Pick<Domain, 'status'>): boolean {
  return status === 'pending' || status === 'partial';
}

function failedState(
  view: FolderView,
  { error, waitMs, during }: WatchEvent & { type: 'failed' },
  nowMs: number,
): FolderView {
  // The window shows the details once for all folders of the server, not for each folder.
  if (error.status === 401) return withState(view, { is: 'signed-out' });
  // The live version is correct, and the next deploy deletes the old versions.
  if (during === 'prune') return view;
  const problem = problemOf(error);
  // A refusal while the domain is being linked concerns the domain.
  const isLinking = view.state.is === 'publishing' && view.state.progress.phase === 'linking';
  if (isLinking && problem.kind === 'refused')
    problem.next = 'Choose another name: "Change address…" in the menu of the folder.';
  if (waitMs !== null) return withState(view, { is: 'waiting', problem, until: nowMs + waitMs });
  return withState(view, { is: 'failed', problem });
}
