import { type CreatedDeployment, type DeployOptions, UPLOAD_SECONDS, type UploadFile } from '@berth/contract';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Caller, Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { ServiceError } from '../../errors.ts';
import { failpoint } from '../../failpoints.ts';
import { findReplay, type IdempotencyKey } from '../deployments/idempotency.ts';
import { type Publication, publish } from '../deployments/publish.ts';
import { compileDeployRules } from '../deployments/deploy-warnings.ts';
import { filesOf } from './base-deployment.ts';
import { checkContents } from './check-contents.ts';
import { runQueued } from '../serial-queue.ts';
import { getUpload, uploadNotFound, touchUpload, type Upload } from './uploads.ts';

/**
 * Publishes all files of an upload, or nothing. Repeating it within 24 hours, even concurrently, returns the same
 * deployment; there is never a second one. Commits of one upload run one after the other.
 *
 * @throws `not_found`; `business_logic_error`, with the number, while contents are missing; `validation_failed` for a
 *   file whose content is refused; `authentication_failed` for a credential that was revoked meanwhile; `forbidden` at
 *   a cap of the plan; `unavailable`.
 * Source: api §3, §9; storage P3 to P7.
 */
export async function commitUpload({ core, caller }: { core: Core; caller: Caller }, name: string) {
  // A list of files is large. Of several concurrent commits only one needs it.
  return runQueued(core, `commit:${name}`, async () => commit(core, caller, await getUpload(core, caller, name)));
}

async function commit(core: Core, caller: Caller, upload: Upload): Promise<CreatedDeployment> {
  const key = { ...commitKey(upload), fingerprint: upload.hash };
  if (upload.committed) return replay(core, key);
  refuseIncomplete(upload);
  await touchUpload(core, upload);
  const publication = await publicationOf(core, upload, key);
  // A concurrent commit in another process was first.
  if (!publication) return replay(core, key);
  const { body } = await core.database.transaction(async (em) => {
    const outcome = await publish(em, core, caller, publication);
    if (!outcome.replayed) await close(em, core, upload);
    return outcome;
  });
  failpoint('upload.committed');
  return body;
}

/** The idempotency key of a commit: an upload has one outcome, like a deploy with a key. */
function commitKey({ hash }: Upload): IdempotencyKey {
  return { scope: `upload:${hash.toString('hex')}`, key: 'commit' };
}

async function replay(core: Core, commit: IdempotencyKey & { fingerprint: Buffer }): Promise<CreatedDeployment> {
  const body = await core.database.transaction((em) =>
    findReplay<CreatedDeployment>(em, core, commit, commit.fingerprint),
  );
  if (!body) throw uploadNotFound();
  return body;
}

function refuseIncomplete({ missing }: Upload): void {
  if (missing > 0)
    throw new ServiceError(
      'business_logic_error',
      `${missing} contents of this upload have not been sent yet; send them, then commit again.`,
      { details: { state: 'incomplete', missing } },
    );
}

interface Row extends Omit<DeployOptions, 'password'> {
  paths: string[];
  hashes: Buffer;
  sizes: string;
  passwordHash: string | null;
}

/** The files and options of an upload; `null` if it was committed. */
async function publicationOf(
  core: Core,
  { hash }: Upload,
  idempotency: Publication['idempotency'],
): Promise<Publication | null> {
  const { rows } = await sql<Row>`
    select array_to_json(paths) as paths, hashes, array_to_string(sizes, ',') as sizes, array_to_json(labels) as labels,
      via, password_hash as "passwordHash", ttl as "ttlSeconds"
    from upload where hash = ${hash} and committed is null`.execute(db(core));
  const [row] = rows;
  if (!row) return null;
  const { labels, via, ttlSeconds, passwordHash } = row;
  const files: UploadFile[] = filesOf(row);
  return {
    files,
    options: { labels, via, ttlSeconds },
    passwordHash,
    pack: null,
    reserved: true,
    ...compileDeployRules(await checkContents(core, files), files),
    idempotency,
  };
}

/** From here on the deployment refers to the contents. The row stays for a while, for repeated commits. */
async function close(em: EntityManager, core: Core, { hash }: Upload): Promise<void> {
  const committed = core.now();
  const expires = new Date(committed.getTime() + UPLOAD_SECONDS * 1000);
  const { numAffectedRows } = await sql`
    update upload set committed = ${committed}, expires = ${expires}, paths = '{}', hashes = '', sizes = '{}', asked = '',
      lengths = '{}'
    where hash = ${hash} and committed is null`.execute(db(em));
  if (numAffectedRows !== 1n) throw uploadNotFound();
  await sql`delete from upload_content where upload_hash = ${hash}`.execute(db(em));
  await sql`delete from upload_pack where upload_hash = ${hash}`.execute(db(em));
}
