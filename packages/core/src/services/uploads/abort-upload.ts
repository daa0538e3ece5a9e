import type { Caller, Core } from '../../core.ts';
import { failpoint } from '../../failpoints.ts';
import { lockAccount } from '../accounts/account-lock.ts';
import { markStorageInexact } from '../accounts/storage.ts';
import { getUpload, uploadNotFound, removeOpenUpload, alreadyCommitted } from './uploads.ts';

/**
 * Aborts an open upload at once; its bytes are removed later.
 *
 * @throws `not_found`, also if it is repeated; `business_logic_error` for an upload that was committed. Source:
 *   api §9.
 */
export async function abortUpload(
  { core, caller }: { core: Core; caller: Caller },
  name: string,
): Promise<{ upload: string }> {
  const upload = await getUpload(core, caller, name);
  if (upload.committed) throw alreadyCommitted('delete its deployment instead');
  await core.database.transaction(async (em) => {
    if (caller.kind === 'account') await lockAccount(em, caller.account);
    if (!(await removeOpenUpload(em, upload.hash))) throw uploadNotFound();
    if (caller.kind === 'account') await markStorageInexact(em, caller.account);
  });
  failpoint('upload.aborted');
  return { upload: name };
}
