import { randomBytes } from 'node:crypto';
import { basename, isAbsolute } from 'node:path';
import { ClientError, onDriveWithin } from '@berth/client';
import type { Given } from '../shared/publishing.ts';
import { GIVEN_WITHIN_MS } from './drive-limits.ts';

/** How long a grant is valid, in milliseconds. */
const VALID_FOR_MS = 3_600_000;
/** The max number of grants. The oldest are dropped first. */
const MAX_GRANTS = 10_000;

/** What a grant refers to: an absolute path and its kind. */
export interface Granted {
  path: string;
  /** `unknown`: the drive did not answer in time. */
  kind: Given['kind'];
}

/** A stored grant. A confirmation refers to a folder that the user was asked about. */
interface StoredGrant {
  path: string;
  kind: Granted['kind'] | 'confirmation';
  /** In milliseconds. */
  until: number;
}

/**
 * The paths that the user picked, by a drop, in a dialog, or as a suggestion inside a picked folder. The page never sends a path,
 * so a compromised page cannot choose one. Source: desktop §6; security T40.
 *
 * A grant is 128 random bits, valid once and for an hour. Only folders and files get one. A symbolic link counts as its target,
 * because that is what the user means.
 */
export class Grants {
  readonly #now: () => number;
  /** In the order they were made. */
  readonly #grants = new Map<string, StoredGrant>();

  /** @param now The time, in milliseconds. Default: the system clock. */
  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Makes a grant for each path. Skips unreadable paths. The kind is `unknown` if the drive does not answer. */
  async give(paths: readonly string[]): Promise<Given[]> {
    const kinds = await Promise.all(paths.map(async (path) => (isAbsolute(path) ? kindOf(path) : null)));
    return paths.flatMap((path, at): Given[] => {
      const kind = kinds[at] ?? null;
      return kind === null ? [] : [{ grant: this.#keep(path, kind), name: basename(path) || path, kind }];
    });
  }

  /** Makes the confirmation for a question about a folder. It is valid as long as a grant. */
  confirm(path: string): string {
    return this.#keep(path, 'confirmation');
  }

  /** True if it is a valid confirmation of this folder. */
  isConfirmed(confirmation: string, path: string): boolean {
    const found = this.#find(confirmation);
    return found?.kind === 'confirmation' && found.path === path;
  }

  /** Reads a grant and uses it up. @throws ClientError `refused` when it is unknown, used or expired. */
  take(grant: string): Granted {
    const granted = this.peek(grant);
    this.#grants.delete(grant);
    return granted;
  }

  /** Reads a grant, which stays valid. @throws ClientError `refused` when it is unknown, used or expired. */
  peek(grant: string): Granted {
    const found = this.#find(grant);
    if (found === null || found.kind === 'confirmation')
      throw new ClientError('refused', 'This drop has expired. Drop the item again.');
    return { path: found.path, kind: found.kind };
  }

  #find(grant: string): StoredGrant | null {
    const found = this.#grants.get(grant);
    return found && found.until > this.#now() ? found : null;
  }

  #keep(path: string, kind: StoredGrant['kind']): string {
    const grant = randomBytes(16).toString('hex');
    this.#grants.set(grant, { path, kind, until: this.#now() + VALID_FOR_MS });
    for (const [old, { until }] of this.#grants) {
      if (until > this.#now() && this.#grants.size <= MAX_GRANTS) break;
      this.#grants.delete(old);
    }
    return grant;
  }
}

/** The kind of a path, following links; `null` if it does not exist or is neither a folder nor a file. */
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
