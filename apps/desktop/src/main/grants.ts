import { randomBytes } from 'node:crypto';
import { basename, isAbsolute } from 'node:path';
import { ClientError, onDriveWithin } from '@berth/client';
import type { GivenItem } from '../shared/publishing.ts';
import { IDENTIFY_LIMIT_MS } from './drive-limits.ts';

/** How long a grant is valid, in milliseconds. */
const VALID_FOR_MS = 3_600_000;
/** The maximum number of grants. The oldest grants are dropped first. */
const MAX_GRANTS = 10_000;

/** An absolute path and its kind. The kind is `unknown` if the drive did not respond in time. */
export type Granted = Pick<GivenItem, 'kind'> & { path: string };

/** A stored grant, or the confirmation of a question about a folder. It expires at the time `until`, in milliseconds. */
interface StoredGrant {
  path: string;
  kind: Granted['kind'] | 'confirmation';
  until: number;
}

/**
 * Stores the paths that the user picked: by a drop, in a dialog, or as a suggestion inside a picked folder. The page never sends a
 * path, so a compromised page cannot choose one. A grant is 128 random bits and is valid once, for an hour. Only folders and files
 * get a grant. A symbolic link counts as its target, because the user means the target. Source: desktop §6; security T40.
 */
export class Grants {
  readonly #now: () => number;
  /** The grants, oldest first. */
  readonly #grants = new Map<string, StoredGrant>();

  /** @param now Returns the time in milliseconds. Default: the system clock. */
  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Makes a grant for each path. Skips unreadable paths. The kind is `unknown` if the drive does not respond. */
  async give(paths: readonly string[]): Promise<GivenItem[]> {
    const kinds = await Promise.all(paths.map(async (path) => (isAbsolute(path) ? kindOf(path) : null)));
    return paths.flatMap((path, index): GivenItem[] => {
      const kind = kinds[index] ?? null;
      return kind === null ? [] : [{ grant: this.#keep(path, kind), name: basename(path) || path, kind }];
    });
  }

  /** Makes the confirmation for a question about a folder. A confirmation is valid as long as a grant. */
  confirm(path: string): string {
    return this.#keep(path, 'confirmation');
  }

  /** True if the confirmation is valid and belongs to this folder. */
  isConfirmed(confirmation: string, path: string): boolean {
    const storedGrant = this.#find(confirmation);
    return storedGrant?.kind === 'confirmation' && storedGrant.path === path;
  }

  /** Reads a grant and uses it up. @throws ClientError `refused` when the grant is unknown, used or expired. */
  take(grant: string): Granted {
    const grantedItem = this.peek(grant);
    this.#grants.delete(grant);
    return grantedItem;
  }

  /** Reads a grant, which stays valid. @throws ClientError `refused` when the grant is unknown, used or expired. */
  peek(grant: string): Granted {
    const storedGrant = this.#find(grant);
    if (storedGrant === null || storedGrant.kind === 'confirmation')
      throw new ClientError('refused', 'This drop has expired. Drop the item again.');
    return { path: storedGrant.path, kind: storedGrant.kind };
  }

  #find(grant: string): StoredGrant | null {
    const storedGrant = this.#grants.get(grant);
    return storedGrant && storedGrant.until > this.#now() ? storedGrant : null;
  }

  #keep(path: string, kind: StoredGrant['kind']): string {
    const grant = randomBytes(16).toString('hex');
    this.#grants.set(grant, { path, kind, until: this.#now() + VALID_FOR_MS });
    for (const [oldest, { until }] of this.#grants) {
      if (until > this.#now() && this.#grants.size <= MAX_GRANTS) break;
      this.#grants.delete(oldest);
    }
    return grant;
  }
}

/** The kind of a path, or of the target of a link; `null` if the path does not exist or is neither a folder nor a file. */
async function kindOf(path: string): Promise<Granted['kind'] | null> {
  try {
    return await onDriveWithin(path, IDENTIFY_LIMIT_MS, async (stats) => {
      if (stats?.isDirectory() === true) return 'folder';
      return stats?.isFile() === true ? 'file' : null;
    });
  } catch {
    return 'unknown';
  }
}
