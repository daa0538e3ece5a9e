import { randomBytes } from 'node:crypto';
import { basename, isAbsolute } from 'node:path';
import { ClientError, onDriveWithin } from '@berth/client';
import type { Given } from '../shared/publishing.ts';
import { GIVEN_WITHIN_MS } from './drive-limits.ts';

/** How long a grant is good, in milliseconds. */
const GOOD_FOR_MS = 3_600_000;
/** So many are kept; the oldest are forgotten first. */
const MOST = 10_000;

/** What stands behind a grant: an absolute path, and what is there. */
export interface Granted {
  path: string;
  /** `unknown`: its drive did not answer in time. */
  kind: Given['kind'];
}

/** What is kept of a grant. A confirmation stands for a folder that the user was asked about. */
interface Kept {
  path: string;
  kind: Granted['kind'] | 'confirmation';
  /** In milliseconds. */
  until: number;
}

/**
 * The paths that the user gave: by a drop, a dialog, or as a suggestion inside of what was given. A page that is not ours can
 * name none of its own. Source: design of the desktop app, §6; security T40.
 */
export interface Grants {
  /** What cannot be read is left out. What is on a drive that does not answer is given as `unknown`. */
  give(paths: readonly string[]): Promise<Given[]>;
  /** The user is about to be asked about a folder. @returns what confirms it, as long as a grant is good. */
  confirm(path: string): string;
  /** Whether it is the confirmation of this very folder. */
  isConfirmed(confirmation: string, path: string): boolean;
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
  const grants = new Map<string, Kept>();

  function forgetOld(): void {
    for (const [grant, { until }] of grants) {
      if (until > now() && grants.size <= MOST) return;
      grants.delete(grant);
    }
  }

  function keep(path: string, kind: Kept['kind']): string {
    const grant = randomBytes(16).toString('hex');
    grants.set(grant, { path, kind, until: now() + GOOD_FOR_MS });
    forgetOld();
    return grant;
  }

  function find(grant: string): Kept | null {
    const found = grants.get(grant);
    return found && found.until > now() ? found : null;
  }

  function look(grant: string): Granted {
    const found = find(grant);
    if (found === null || found.kind === 'confirmation')
      throw new ClientError('refused', 'What was dropped is not known any more: drop it again.');
    return { path: found.path, kind: found.kind };
  }

  return {
    async give(paths) {
      const kinds = await Promise.all(paths.map((path) => (isAbsolute(path) ? kindOf(path) : null)));
      return paths.flatMap((path, at): Given[] => {
        const kind = kinds[at] ?? null;
        return kind === null ? [] : [{ grant: keep(path, kind), name: basename(path) || path, kind }];
      });
    },
    look,
    confirm: (path) => keep(path, 'confirmation'),
    isConfirmed(confirmation, path) {
      const found = find(confirmation);
      return found?.kind === 'confirmation' && found.path === path;
    },
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
    return await onDriveWithin(path, GIVEN_WITHIN_MS, async (stats) => {
      if (stats?.isDirectory() === true) return 'folder';
      return stats?.isFile() === true ? 'file' : null;
    });
  } catch {
    return 'unknown';
  }
}
