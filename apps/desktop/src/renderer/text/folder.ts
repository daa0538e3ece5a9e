import { bytes, count } from '@berth/client/amounts';
import type { FolderState, PauseReason, WatchedFolder } from '../../shared/folder.ts';
import type { Amount, SkippedFileGroup } from '../../shared/progress.ts';
import type { Question } from '../../shared/publishing.ts';
import { progressText } from './progress.ts';
import { ago, untilText } from './time.ts';

export type Tone = 'good' | 'busy' | 'warn' | 'bad' | 'quiet';

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

/** Formats the size of a site: `128 files · 3.4 MB`. */
export function sizeText({ files, bytes: size }: Amount): string {
  return `${count(files, 'file')} · ${bytes(size)}`;
}

/** Returns the message of a problem, with its file in front unless the message names the file. */
export function withFile({ message, file }: { message: string; file: string | null }): string {
  return file === null || message.includes(file) ? message : `${file}: ${message}`;
}

const SKIPPED: Record<SkippedFileGroup['reason'], readonly [one: string, many: string]> = {
  private: ['private file', 'private files'],
  ignored: ['ignored file', 'ignored files'],
  link: ['link to outside the folder', 'links to outside the folder'],
  'not-a-file': ['special file', 'special files'],
};

/** Lists skipped files: `3 private files skipped: .env, .git/config …`. */
export function skippedText({ reason, count, paths }: SkippedFileGroup): string {
  const [one, many] = SKIPPED[reason];
  const listedPaths = paths.length > 0 ? `: ${paths.join(', ')}${count > paths.length ? ' …' : ''}` : '';
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many} skipped${listedPaths}`;
}

const QUESTIONS: Record<Question['about'], string> = {
  'no-front-page': 'This folder has no index.html, so the link would show an error page.',
  project: 'This folder looks like a project’s source, not its build output.',
  personal: 'This looks like a personal folder. All its files would be public.',
  pasted: 'You pasted this item. It is not public until you publish it.',
};

/** Explains why the app asks before it publishes, and mentions the suggested folders if there are any. */
export function questionText({ about, suggestions }: Question): string {
  return suggestions.length === 0 ? QUESTIONS[about] : `${QUESTIONS[about]} Did you mean one of these folders?`;
}
