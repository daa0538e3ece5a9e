import type { LeftOut } from '../../shared/progress.ts';

const NOUNS: Record<LeftOut['reason'], readonly [one: string, many: string]> = {
  private: ['private file', 'private files'],
  ignored: ['ignored file', 'ignored files'],
  link: ['link that leads out of the folder', 'links that lead out of the folder'],
  'not-a-file': ['thing that is no file', 'things that are no files'],
};

/** Lists files that were left out: `3 private files left out: .env, .git/config …`. */
export function leftOutWords({ reason, count, paths }: LeftOut): string {
  const [one, many] = NOUNS[reason];
  const named = paths.length > 0 ? `: ${paths.join(', ')}${count > paths.length ? ' …' : ''}` : '';
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many} left out${named}`;
}
