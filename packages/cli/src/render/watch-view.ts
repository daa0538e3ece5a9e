import type { DeployEvent, MissingReason, WatchEvent } from '@berth/client';
import { count, duration } from '@berth/client/amounts';
import { beginView, type DeployView, type DisplayTarget, type Frame, showEvent } from './deploy-view.ts';

export interface WatchView {
  deploy: DeployView;
  /** The lines about skipped files that were printed last. They are printed again only if they differ. */
  skippedFilesText: string;
}

/** Creates the display of a watch that begins now. @param at The time, in milliseconds. */
export function beginWatchView(at: number): WatchView {
  return { deploy: beginView(at), skippedFilesText: '' };
}

const MISSING_TEXTS: Record<MissingReason, string> = {
  gone: 'The folder does not exist. The live deployment stays.',
  empty: 'The folder is empty. The live deployment stays.',
  'no-front-page': 'The folder no longer has an index.html. The live deployment stays.',
};

/** Computes the display after an event of a watch. The function is pure: the same events give the same lines. */
export function showWatchEvent(view: WatchView, event: WatchEvent, target: DisplayTarget): Frame<WatchView> {
  const frame = (lines: readonly string[], status = ''): Frame<WatchView> => ({ view, lines, status });
  switch (event.type) {
    case 'watching': {
      const address = event.domain === null ? 'each deploy has its own link' : `each deploy goes to ${event.domain}`;
      return frame([`Watching ${event.folder}, ${address}. Press Ctrl-C to stop.`]);
    }
    case 'settling':
      return frame([], 'The folder is changing …');
    case 'published':
      return frame([]);
    case 'unchanged':
      return frame(['The live deployment is up to date.']);
    case 'missing':
      return frame([MISSING_TEXTS[event.reason]]);
    case 'failed': {
      if (event.during === 'prune')
        return frame([`${withoutStop(event.error.message)}. Old deployments were not deleted.`]);
      const retryTime = event.waitMs === null ? 'when the folder changes' : `in ${duration(event.waitMs / 1000)}`;
      return frame([`${withoutStop(event.error.message)}. Trying again ${retryTime}.`]);
    }
    case 'pruned':
      return frame([`Deleted ${count(event.deployments.length, 'old deployment')}.`]);
    case 'polling': {
      const every = duration(event.everyMs / 1000);
      return frame([`${withoutStop(event.reason)}. berth checks the folder every ${every} instead.`]);
    }
    default:
      return showDeploy(view, event, target);
  }
}

function withoutStop(sentence: string): string {
  return sentence.replace(/\.$/, '');
}

function showDeploy(view: WatchView, event: DeployEvent, target: DisplayTarget): Frame<WatchView> {
  if (event.type !== 'walked') {
    const frame = showEvent(view.deploy, event, target);
    return { ...frame, view: { ...view, deploy: frame.view } };
  }
  const frame = showEvent(beginView(target.at), event, target);
  const skippedFilesText = frame.lines.join('\n');
  const lines = skippedFilesText === view.skippedFilesText ? [] : frame.lines;
  return { ...frame, view: { deploy: frame.view, skippedFilesText }, lines };
}
