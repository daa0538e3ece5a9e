import type { BerthClient } from '../client.ts';
import { ClientError } from '../errors.ts';
import { findLabelled } from './versions.ts';

/** The deployments that a watch made, and the end of the old ones. */
export interface Pruner {
  /** A deployment was made. */
  add(deployment: string): void;
  /**
   * Deletes all but the newest ones. One that a domain points at stays: the server refuses to delete it.
   *
   * @param onDeleted Hears of each that was deleted.
   * @throws ClientError; the next call goes on.
   */
  prune(signal: AbortSignal, onDeleted: (deployment: string) => void): Promise<void>;
}

/**
 * Keeps the deployments with a label to a number. Those of earlier runs are found among the 1,000 newest of the account.
 *
 * @param label Only its deployments are ever touched.
 * @param keep How many stay. It is asked each time.
 */
export function createPruner(client: BerthClient, label: string, keep: () => number): Pruner {
  /** The newest first. */
  let made: string[] = [];
  let listed = false;
  return {
    add: (deployment) => void (made = [deployment, ...made.filter((other) => other !== deployment)]),
    async prune(signal, onDeleted) {
      if (!listed) {
        const before = await findLabelled(client, label, signal);
        made = [...new Set([...made, ...before.map(({ deployment }) => deployment)])];
        listed = true;
      }
      for (const deployment of made.slice(keep())) {
        if (!(await deleteUnlinked(client, deployment, signal))) continue;
        made = made.filter((other) => other !== deployment);
        onDeleted(deployment);
      }
    },
  };
}

/** @returns False when a domain points at it. */
async function deleteUnlinked({ api }: BerthClient, deployment: string, signal: AbortSignal): Promise<boolean> {
  try {
    await api.deployments.delete.mutate({ deployment }, { signal });
  } catch (error) {
    if (error instanceof ClientError && error.status === 404) return true;
    if (error instanceof ClientError && error.status === 422) return false;
    throw error;
  }
  return true;
}
