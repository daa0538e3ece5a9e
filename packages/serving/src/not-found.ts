import type { Intent } from './intent.ts';
import { findFile } from './pages.ts';
import type { RequestContext } from './request-context.ts';

/**
 * The response for a path without a file: the nearest `404.html`, in the folder of the path, then in each parent up to the
 * root; else the default page of the service.
 *
 * @param path In the format of `RequestPath.path`.
 * Source: serving S1 (step 12), S39.
 */
export function notFound(path: string, { site, variesByAccept }: RequestContext): Intent {
  for (let slash = path.lastIndexOf('/'); ; slash = path.lastIndexOf('/', slash - 1)) {
    const page = `${path.slice(0, slash + 1)}404.html`;
    const file = findFile(page, site.manifest);
    if (file) return { kind: 'file', status: 404, path: page, file, variesByAccept };
    if (slash < 0) return { kind: 'not-found', variesByAccept };
  }
}
