import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { basename, isAbsolute } from 'node:path';
import { ClientError } from '@berth/client';
import type { Given } from '../shared/publishing.ts';

/** How long a grant is good, in milliseconds. */
const GOOD_FOR_MS = 3_600_000;
/** So many are kept; the oldest are forgotten first. */
const MOST = 10_000;

/** What stands behind a grant: an absolute path, and what is there. */
export interface Granted {
  path: string;
  kind: 'folder' | 'file';
}

/**
 * The paths that the user gave: by a drop, a dialog, or as a suggestion inside of what was given. A page that is not ours can
 * name none of its own. Source: design of the desktop app, §6; security T40.
 */
export interface Grants {
  /** What cannot be read is left out. */
  give(paths: readonly string[]): Promise<Given[]>;
  /** What a grant stands for, which it does from then on no more. @throws ClientError `refused` for one that is unknown, used, or too old. */
  take(grant: string): Granted;
  /** The same, and the grant stays good. */
  look(grant: string): Granted;
}

/**
 * Keeps grants: 128 random bits each, good once and for an hour. What is neither a folder nor a file is given to nobody; a
 * link stands for what it points at, as whoever drops it means that.
 *
 * @param now The time, in milliseconds. Default: the clock of the system.
 */
export function createGrants(now: () => number = Date.now): Grants {
  // In the order in which they were given.
  const grants = new Map<string, Granted & { until: number }>();

  function forgetOld(): void {
    for (const [grant, { until }] of grants) {
      if (until > now() && grants.size <= MOST) return;
      grants.delete(grant);
    }
  }

  function look(grant: string): Granted {
    const found = grants.get(grant);
    if (!found || found.until <= now())
      throw new ClientError('refused', 'What was dropped is not known any more: drop it again.');
    return { path: found.path, kind: found.kind };
  }

  return {
    async give(paths) {
      const given: Given[] = [];
      for (const path of paths) {
        const kind = isAbsolute(path) ? await kindOf(path) : null;
        if (!kind) continue;
        const grant = randomBytes(16).toString('hex');
        grants.set(grant, { path, kind, until: now() + GOOD_FOR_MS });
        given.push({ grant, name: basename(path) || path, kind });
      }
      forgetOld();
      return given;
    },
    look,
    take(grant) {
      const granted = look(grant);
      grants.delete(grant);
      return granted;
    },
  };
}

/** What is at a path, links followed; `null` when it is neither a folder nor a file, or cannot be reached. */
async function kindOf(path: string): Promise<Granted['kind'] | null> {
  try {
    const stats = await stat(path);
    if (stats.isDirectory()) return 'folder';
    return stats.isFile() ? 'file' : null;
  } catch {
    return null;
  }
}
