import type { StoredBytes } from '@berth/serving';
import type { Scope } from '../../core.ts';
import { ServiceError } from '../../errors.ts';
import { loadFiles } from '../sites/load-files.ts';
import { getOwnDeployment } from '../own-deployments.ts';

/** The files of a deployment that its owner downloads. */
export interface Download {
  deployment: string;
  created: Date;
  files: ReadonlyMap<string, StoredBytes>;
}

/**
 * Finds the files of a deployment of the caller's account, whether visitors can see it or not.
 *
 * @throws `not_found`; `business_logic_error` while the deployment is being deleted. Source: api §11.
 */
export async function openDownload(scope: Scope, reference: string): Promise<Download> {
  const { id, created } = await getOwnDeployment(scope.core.database.em(), scope, reference);
  const files = await loadFiles(scope.core, id);
  if (!files)
    throw new ServiceError('business_logic_error', 'This deployment is being deleted and cannot be downloaded.', {
      details: { status: 'deleting' },
    });
  return { deployment: id, created, files };
}
