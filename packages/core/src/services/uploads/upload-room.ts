import { MAX_ANONYMOUS_UPLOADS, MAX_OPEN_UPLOADS, UPLOAD_IDLE_SECONDS } from '@berth/contract';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Caller, Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { ServiceError } from '../../errors.ts';
import { markStorageInexact } from '../accounts/storage.ts';
import { belongsTo, removeOpenUpload } from './uploads.ts';

/**
 * Makes room for one more open upload of a credential or of an anonymous address: at the maximum it drops the one that
 * has been idle longest. The transaction must have locked the account or the address.
 *
 * @throws `rate_limit_exceeded`, with the time after which to retry, if none has been idle for 10 minutes. Source:
 *   api §9.
 */
export async function makeUploadRoom(em: EntityManager, core: Core, caller: Caller): Promise<void> {
  const now = core.now().getTime();
  const maxUploads = caller.kind === 'account' ? MAX_OPEN_UPLOADS : MAX_ANONYMOUS_UPLOADS;
  const whose = caller.kind === 'account' ? sql`and token = ${caller.token}` : sql``;
  const { rows } = await sql<{ hash: Buffer; touched: number }>`
    select hash, (extract(epoch from touched) * 1000)::float8 as touched from upload
    where ${belongsTo(caller)} ${whose} and committed is null and expires > ${core.now()}
    order by touched limit ${maxUploads}`.execute(db(em));
  const [idlest] = rows;
  if (!idlest || rows.length < maxUploads) return;
  const waitMs = idlest.touched + UPLOAD_IDLE_SECONDS * 1000 - now;
  if (waitMs >= 0) {
    const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
    throw new ServiceError(
      'rate_limit_exceeded',
      `At most ${maxUploads} uploads can be open at the same time: commit or abort one, or try again in ${retryAfterSeconds} seconds.`,
      { retryAfterSeconds },
    );
  }
  await removeOpenUpload(em, idlest.hash);
  if (caller.kind === 'account') await markStorageInexact(em, caller.account);
}
