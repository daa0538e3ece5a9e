import type { DeployEvent, MissingReason, WatchEvent } from '@berth/client';
import { count, duration } from '@berth/client/amounts';
import { beginView, type DeployView, type DisplayTarget, type Frame, showEvent } from './deploy-view.ts';

/** The state of the display of a watch. */
export interface WatchView {
  deploy: DeployView;
  /** The skipped files that were printed. They are printed again only if they differ. */
  leftOut: string;
}

/** Creates the initial display. @param at The time, in milliseconds. */
export function beginWatchView(at: number): WatchView {
  return { deploy: beginView(at), leftOut: '' };
}

const MISSING: Record<MissingReason, string> = {
  gone: 'The folder does not exist. The live deployment stays.',
  empty: 'The folder is empty. The live deployment stays.',
  'no-front-page': 'The folder no longer has an index.html. The live deployment stays.',
};

/** Computes the display after an event. Pure: the same events give the same lines. */
export function showWatchEvent(view: WatchView, event: WatchEvent, stage: DisplayTarget): Frame<WatchView> {
  const frame = (lines: readonly string[], status = ''): Frame<WatchView> => ({ view, lines, status });
  switch (event.type) {
    case 'watching': {
      const at = event.domain === null ? 'each deploy has its own link' : `live at ${event.domain}`;
      return frame([`Watching ${event.folder}, ${at}. Press Ctrl-C to stop.`]);
    }
    case 'settling':
      return frame([], 'The folder is changing …');
    case 'published':
      return frame([]);
    case 'unchanged':
      return frame(['Up to date.']);
    case 'missing':
      return frame([MISSING[event.reason]]);
    case 'failed': {
      const next = event.waitMs === null ? 'when the folder changes' : `in ${duration(event.waitMs / 1000)}`;
      return frame([`${event.error.message.replace(/\.$/, '')}. Trying again ${next}.`]);
    }
    case 'pruned':
      return frame([`Deleted ${count(event.deployments.length, 'old deployment')}.`]);
    case 'polling': {
      const every = duration(event.everyMs / 1000);
      return frame([`${event.reason.replace(/\.$/, '')}. berth checks the folder every ${every} instead.`]);
    }
    default:
      return showDeploy(view, event, stage);
  }
}

function showDeploy(view: WatchView, event: DeployEvent, stage: DisplayTarget): Frame<WatchView> {
  const deploy = event.type === 'walked' ? beginView(stage.at) : view.deploy;
  const shown = showEvent(deploy, event, stage);
  if (event.type !== 'walked') return { ...shown, view: { ...view, deploy: shown.view } };
  const leftOut = shown.lines.join('\n');
  return {
    view: { deploy: shown.view, leftOut },
    lines: leftOut === view.leftOut ? [] : shown.lines,
    status: shown.status,
  };
}
