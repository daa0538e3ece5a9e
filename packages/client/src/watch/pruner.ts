import type { BerthClient } from '../client.ts';
import { ClientError } from '../errors.ts';
import { findLabelled } from './versions.ts';

/** Keeps track of the deployments of a watch, and deletes old ones. */
export interface Pruner {
  /** Records a new deployment. */
  add(deployment: string): void;
  /**
   * Deletes all but the newest ones. Keeps a deployment that a domain points at, because the server refuses to delete it.
   *
   * @param onDeleted Called for each deleted deployment.
   * @throws ClientError; the next call continues with the rest.
   */
  prune(signal: AbortSignal, onDeleted: (deployment: string) => void): Promise<void>;
}

/**
 * Limits the number of deployments with a label. Those of earlier runs are found among the 1,000 newest of the account.
 *
 * @param label Only deployments with this label are deleted.
 * @param keep How many to keep. Called each time.
 */
export function createPruner(client: BerthClient, label: string, keep: () => number): Pruner {
  /** Newest first. */
  let newestFirst: string[] = [];
  let listed = false;
  return {
    add: (deployment) => void (newestFirst = [deployment, ...newestFirst.filter((other) => other !== deployment)]),
    async prune(signal, onDeleted) {
      if (!listed) {
        const before = await findLabelled(client, label, signal);
        newestFirst = [...new Set([...newestFirst, ...before.map(({ deployment }) => deployment)])];
        listed = true;
      }
      for (const deployment of newestFirst.slice(keep())) {
        if (!(await deleteUnlinked(client, deployment, signal))) continue;
        newestFirst = newestFirst.filter((other) => other !== deployment);
        onDeleted(deployment);
      }
    },
  };
}

/** @returns `false` if a domain points at it. */
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
