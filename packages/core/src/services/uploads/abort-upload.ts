import type { Caller, Core } from '../../core.ts';
import { failpoint } from '../../failpoints.ts';
import { lockAccount } from '../accounts/account-lock.ts';
import { releaseStorage } from '../accounts/storage.ts';
import { getUpload, noUpload, removeOpenUpload, wasCommitted } from './uploads.ts';

/**
 * Aborts an open upload at once; its bytes are removed later.
 *
 * @throws `not_found`, also if it is repeated; `business_logic_error` for an upload that was committed. Source:
 *   contract §9.
 */
export async function abortUpload(
  { core, caller }: { core: Core; caller: Caller },
  name: string,
): Promise<{ upload: string }> {
  const upload = await getUpload(core, caller, name);
  if (upload.committed) throw wasCommitted('delete its deployment instead');
  await core.database.transaction(async (em) => {
    if (caller.kind === 'account') await lockAccount(em, caller.account);
    if (!(await removeOpenUpload(em, upload.hash))) throw noUpload();
    if (caller.kind === 'account') await releaseStorage(em, caller.account);
  });
  failpoint('upload.aborted');
  return { upload: name };
}
