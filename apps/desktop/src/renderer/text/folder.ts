import type { Tone } from '@berth/ui/components/status';
import { withFile } from '@berth/ui/text/files';
import { progressText } from '@berth/ui/text/progress';
import { ago, untilText } from '@berth/ui/text/time';
import type { FolderState, PauseReason, WatchedFolder } from '../../shared/folder.ts';

const MISSING_TEXTS: Record<Extract<FolderState, { is: 'missing' }>['reason'], string> = {
  gone: 'Folder not found',
  empty: 'Folder is empty',
  'no-front-page': 'Folder has no index.html',
};

const PAUSED_TEXTS: Record<PauseReason, [text: string, detail: string]> = {
  asked: ['Paused', 'Changes are not published.'],
  'earlier-version': ['Showing an earlier version', 'Watching is paused, so no build overwrites this version.'],
  'address-changed': [
    'Address changed',
    'The address was deleted or points to another site. Resume to publish this folder there again.',
  ],
};

export function folderText({ state, live }: WatchedFolder, now: number) {
  const line = (tone: Tone, text: string, detail: string | null = null, next: string | null = null) => ({
    tone,
    text,
    detail,
    next,
  });
  switch (state.is) {
    case 'starting':
      return line('busy', 'Scanning folder');
    case 'settling':
      return line('busy', 'Changes detected', 'Berth publishes when the changes stop.');
    case 'building':
      return line('busy', 'Building');
    case 'publishing': {
      const { doing, detail } = progressText(state.progress, now);
      if (state.progress.phase === 'sending') return line('busy', `Uploading ${detail}`);
      return line('busy', doing, detail || null);
    }
    case 'live':
      return line('good', live ? `Up to date · published ${ago(live.at, now)}` : 'Up to date');
    case 'waiting': {
      const waitingText = state.problem.kind === 'network' ? 'Waiting for the network · trying again' : 'Trying again';
      return line('warn', `${waitingText} ${untilText(state.until, now)}`, state.problem.message);
    }
    case 'failed':
      return line('bad', 'Failed', withFile(state.problem), state.problem.next);
    case 'missing': {
      const detail = live ? 'The live version is unchanged.' : 'Nothing has been published yet.';
      return line('warn', MISSING_TEXTS[state.reason], detail);
    }
    case 'paused':
      return line('quiet', ...PAUSED_TEXTS[state.why]);
    case 'signed-out':
      return line('warn', 'Signed out', 'Sign in to continue.');
  }
}
