import { isWithheld } from '@berth/contract';
import type { Intent } from './intent.ts';
import { formatRequestPath, isSystemPath, type RequestPath } from './request-path.ts';
import type { Manifest, SiteFile } from './site.ts';

/** A request to a site, as far as it decides what is answered. */
export interface VisitRequest {
  method: string;
  path: RequestPath;
  /** The query as sent, from `?` on; empty when there is none. */
  query: string;
}

/** A file and, when the request should have named it by another path, that path. */
interface Located {
  path: string;
  file: SiteFile;
  canonical?: string;
}

/**
 * Decides what a request is answered with.
 *
 * Never names a withheld file. A redirect stays on the host and reaches a 200 in one hop.
 *
 * Source: serving S1 (steps 6 to 12), S8 to S15, S18, S19, S39, S42.
 */
export function resolve({ method, path, query }: VisitRequest, manifest: Manifest): Intent {
  if (method === 'OPTIONS') return { kind: 'options' };
  if (method !== 'GET' && method !== 'HEAD') return { kind: 'method-not-allowed' };

  const located = path.servable ? locate(path.path, manifest) : null;
  if (!located) return notFound(path.path, manifest);
  if (path.clean && located.canonical === undefined)
    return { kind: 'file', status: 200, path: located.path, file: located.file };
  return { kind: 'redirect', location: formatRequestPath(located.canonical ?? path.path) + query };
}

/** Finds the exact file, then the page forms. Source: serving §4. */
function locate(path: string, manifest: Manifest): Located | null {
  if (isWithheld(path)) return null;
  const exact = find(path, manifest);
  if (exact) return { path, file: exact };

  const isFolder = path === '' || path.endsWith('/');
  const name = isFolder ? path.slice(0, -1) : path;
  const folder = isFolder ? path : `${path}/`;
  const page = { path: `${name}.html`, address: name };
  const index = { path: `${folder}index.html`, address: folder };
  for (const form of isFolder ? [index, page] : [page, index]) {
    const file = find(form.path, manifest);
    if (!file) continue;
    const located = { path: form.path, file };
    return form.address !== path && serves(form.address, form.path, manifest)
      ? { ...located, canonical: form.address }
      : located;
  }
  return null;
}

/** Whether a path is answered with this very file, without another redirect. Source: serving S18. */
function serves(path: string, file: string, manifest: Manifest): boolean {
  const located = locate(path, manifest);
  return located?.path === file && located.canonical === undefined;
}

/** The nearest `404.html`: in the folder of the path, then in each parent, then at the root. Source: serving S39. */
function notFound(path: string, manifest: Manifest): Intent {
  for (let slash = path.lastIndexOf('/'); ; slash = path.lastIndexOf('/', slash - 1)) {
    const page = `${path.slice(0, slash + 1)}404.html`;
    const file = find(page, manifest);
    if (file) return { kind: 'file', status: 404, path: page, file };
    if (slash < 0) return { kind: 'not-found' };
  }
}

/** The file of a path, unless it is withheld or the path belongs to the service. Source: serving S6, S12. */
function find(path: string, manifest: Manifest): SiteFile | undefined {
  const file = manifest.get(path);
  return file && !isWithheld(path) && !isSystemPath(path) ? file : undefined;
}
