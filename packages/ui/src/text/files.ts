import { bytes, count } from '@berth/client/amounts';
import type { Amount, Build, Question, SkippedFileGroup } from '../publishing.ts';

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
  update: 'This folder is published already.',
};

/** Explains why the app asks before it publishes, and mentions the suggested folders if there are any. */
export function questionText({ about, suggestions, site, build }: Question): string {
  if (build) return buildText(build, suggestions.length > 0);
  if (about === 'update') return `${QUESTIONS.update} Update ${site}, or publish it at a new link?`;
  return suggestions.length === 0 ? QUESTIONS[about] : `${QUESTIONS[about]} Did you mean one of these folders?`;
}

function buildText({ framework, folder, command, advice }: Build, isBuilt: boolean): string {
  const built = isBuilt ? ' The last build can be published too.' : '';
  const hint = advice === null ? '' : ` ${advice}`;
  const article = /^[AE]/.test(framework) ? 'an' : 'a';
  return `This is ${article} ${framework} project. “${command}” writes its site to the folder ${folder}.${built}${hint}`;
}
