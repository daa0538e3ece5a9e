import type { LeftOut } from '../../shared/progress.ts';

const NOUNS: Record<LeftOut['reason'], readonly [one: string, many: string]> = {
  private: ['private file', 'private files'],
  ignored: ['ignored file', 'ignored files'],
  link: ['link to outside the folder', 'links to outside the folder'],
  'not-a-file': ['special file', 'special files'],
};

/** Lists skipped files: `3 private files skipped: .env, .git/config …`. */
export function skippedText({ reason, count, paths }: LeftOut): string {
  const [one, many] = NOUNS[reason];
  const listed = paths.length > 0 ? `: ${paths.join(', ')}${count > paths.length ? ' …' : ''}` : '';
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many} skipped${listed}`;
}
