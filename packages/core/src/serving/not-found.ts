import type { Intent } from './intent.ts';
import { findFile } from './pages.ts';
import type { Question } from './question.ts';

/**
 * The answer for what is not there: the nearest `404.html`, in the folder of the path, then in each parent, then at the
 * root; else the service's own page.
 *
 * @param path As `RequestPath` has it.
 * Source: serving S1 (step 12), S39.
 */
export function notFound(path: string, { site, variesByAccept }: Question): Intent {
  for (let slash = path.lastIndexOf('/'); ; slash = path.lastIndexOf('/', slash - 1)) {
    const page = `${path.slice(0, slash + 1)}404.html`;
    const file = findFile(page, site.manifest);
    if (file) return { kind: 'file', status: 404, path: page, file, variesByAccept };
    if (slash < 0) return { kind: 'not-found', variesByAccept };
  }
}
