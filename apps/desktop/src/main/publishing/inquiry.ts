import { basename, join } from 'node:path';
import type { Question } from '../../shared/publishing.ts';
import type { Grants } from '../grants.ts';
import type { Entry } from './entry.ts';
import { inspectFolder } from './inspect.ts';
import { namesOf } from './staging.ts';

/**
 * What is to be asked before something is published; `null` when it looks like what was meant, or the user is sure.
 *
 * @param grants Gives one for each folder that is suggested.
 */
export async function questionOf(
  { source, sure }: Pick<Entry, 'source' | 'sure'>,
  grants: Grants,
): Promise<Question | null> {
  if (sure) return null;
  if (source.kind === 'files') {
    const hasPage = source.paths.length === 1 || namesOf(source.paths).has('index.html');
    return hasPage ? null : { about: 'no-front-page', suggestions: [] };
  }
  const doubt = await inspectFolder(source.path);
  if (!doubt) return null;
  const suggestions = [];
  for (const name of doubt.suggestions) {
    const [given] = await grants.give([join(source.path, name)]);
    if (given) suggestions.push({ grant: given.grant, name });
  }
  return { about: doubt.about, suggestions };
}

/** What a publishing is called: its folder, or its file, or how many there are. */
export function nameOf(source: Entry['source']): string {
  if (source.kind === 'folder') return basename(source.path) || source.path;
  const [first = ''] = source.paths;
  return source.paths.length === 1 ? basename(first) : `${source.paths.length} files`;
}
