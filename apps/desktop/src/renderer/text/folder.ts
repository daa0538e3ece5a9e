import { bytes } from '@berth/client/amounts';
import type { FolderState, PauseReason, WatchedFolder } from '../../shared/folder.ts';
import { progressText } from './progress.ts';
import { ago, until } from './time.ts';

/** The tone of a line: selects its colour and icon. */
export type Tone = 'good' | 'busy' | 'warn' | 'bad' | 'quiet';

/** The state of a folder as a short text and a line of details. */
export interface StateText {
  tone: Tone;
  text: string;
  detail: string | null;
  next: string | null;
}

const MISSING: Record<Extract<FolderState, { is: 'missing' }>['reason'], string> = {
  gone: 'Folder not found',
  empty: 'Folder is empty',
  'no-front-page': 'Folder has no index.html',
};

const PAUSED: Record<PauseReason, [text: string, detail: string]> = {
  asked: ['Paused', 'Changes are not published.'],
  'earlier-version': ['Showing an earlier version', 'Paused so the next build won’t overwrite it.'],
  'address-changed': [
    'Address changed',
    'Its address was deleted or points to another site. Resume to publish this folder there again.',
  ],
};

/** @param now Unix milliseconds. */
export function folderText({ state, live }: WatchedFolder, now: number): StateText {
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
      return line('busy', 'Changes detected', 'Publishing when they stop.');
    case 'publishing': {
      const { doing, detail } = progressText(state.progress, now);
      return state.progress.phase === 'sending'
        ? line('busy', `Uploading ${detail}`)
        : line('busy', doing, detail || null);
    }
    case 'live':
      return line('good', live ? `Up to date · published ${ago(live.at, now)}` : 'Up to date');
    case 'waiting':
      return line(
        'warn',
        `${state.problem.kind === 'network' ? 'Waiting for the network · trying again' : 'Trying again'} ${until(state.until, now)}`,
        state.problem.message,
      );
    case 'failed':
      return line('bad', 'Failed', withFile(state.problem), state.problem.next);
    case 'missing':
      return line(
        'warn',
        MISSING[state.reason],
        live ? 'The live version is unchanged.' : 'Nothing has been published yet.',
      );
    case 'paused':
      return line('quiet', ...PAUSED[state.why]);
    case 'signed-out':
      return line('warn', 'Signed out', 'Sign in to continue.');
  }
}

/** The size of the live version: `128 files · 3.4 MB`. */
export function sizeText({ files, bytes: size }: { files: number; bytes: number }): string {
  return `${files.toLocaleString('en-US')} ${files === 1 ? 'file' : 'files'} · ${bytes(size)}`;
}

/** Prefixes a message with its file, unless the message already names it. */
export function withFile({ message, file }: { message: string; file: string | null }): string {
  return file === null || message.includes(file) ? message : `${file}: ${message}`;
}
