import { type CreatedDeployment, UPLOAD_SECONDS, type UploadFile } from '@berth/contract';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { RuleFiles } from '@berth/serving';
import type { Caller, Core, Scope } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { Upload, UploadContent, UploadPack } from '../../entities/index.ts';
import { ServiceError, unavailable } from '../../errors.ts';
import { failpoint } from '../../failpoints.ts';
import type { ContentLocation } from '../../storage/packs.ts';
import { createContentCheck } from '../deployments/deploy-files.ts';
import { findReplay } from '../deployments/idempotency.ts';
import { type Publication, publish } from '../deployments/publish.ts';
import { compileDeployRules } from '../deployments/rule-files.ts';
import { filesOf, hexOf, isOneOf, joined } from '../packs/contents.ts';
import { runQueued } from '../run-queued.ts';
import { type FoundUpload, getUpload, touchUpload, uploadNotFound } from './uploads.ts';

type CommitKey = NonNullable<Publication['idempotency']>;

/**
 * Publishes all files of an upload, or nothing. Repeating it within 24 hours, even concurrently, returns the same
 * deployment; there is never a second one. Commits of one upload run one after the other.
 *
 * @throws `not_found`; `business_logic_error`, with the number, while contents are missing; `validation_failed` for a
 *   file whose content is refused; `authentication_failed` for a credential that was revoked meanwhile; `forbidden` at
 *   a cap of the plan; `unavailable`.
 * Source: api §3, §9; storage P3 to P7.
 */
export async function commitUpload(scope: Scope<Caller>, name: string): Promise<CreatedDeployment> {
  // A list of files is large. Of several concurrent commits only one needs it.
  return runQueued(scope.core, `commit:${name}`, async () => commit(scope, await getUpload(scope, name)));
}

async function commit(scope: Scope<Caller>, upload: FoundUpload): Promise<CreatedDeployment> {
  const { core } = scope;
  const { hash, missing } = upload;
  // An upload has one outcome, like a deploy with a key.
  const key: CommitKey = { scope: `upload:${hash.toString('hex')}`, key: 'commit', fingerprint: hash };
  if (upload.committed) return replay(core, key);
  if (missing > 0)
    throw new ServiceError(
      'business_logic_error',
      `${missing} contents of this upload have not been sent yet; send them, then commit again.`,
      { details: { state: 'incomplete', missing } },
    );
  await touchUpload(core, upload);
  const publication = await publicationOf(core, upload, key);
  // A concurrent commit in another process was first.
  if (!publication) return replay(core, key);
  const { body } = await core.database.transaction(async (em) => {
    const outcome = await publish(em, scope, publication);
    if (!outcome.replayed) await close(em, core, upload);
    return outcome;
  });
  failpoint('upload.committed');
  return body;
}

async function replay(core: Core, key: CommitKey): Promise<CreatedDeployment> {
  const body = await core.database.transaction((em) => findReplay<CreatedDeployment>(em, core, key));
  if (!body) throw uploadNotFound();
  return body;
}

/** The files and options of an upload; `null` if it was committed. */
async function publicationOf(core: Core, { hash }: FoundUpload, idempotency: CommitKey): Promise<Publication | null> {
  const row = await db(core)
    .selectFrom('upload')
    .select(({ fn, ref }) => [
      fn<string[]>('array_to_json', ['paths']).as('paths'),
      'hashes',
      joined(ref('sizes')).as('sizes'),
      fn<string[]>('array_to_json', ['labels']).as('labels'),
      'via',
      'password_hash as passwordHash',
      'ttl as ttlSeconds',
    ])
    .where('hash', '=', hash)
    .where('committed', 'is', null)
    .executeTakeFirst();
  if (!row) return null;
  const { labels, via, ttlSeconds, passwordHash } = row;
  const files = filesOf(row);
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

/**
 * Checks the stored bytes of files whose names require it: those that may contain a private key, and rule files. A
 * content can be published under another name than it was uploaded with, so it is checked each time.
 *
 * @returns The rule files.
 * @throws `validation_failed` naming the file whose content is refused. Source: api §3; serving S22.
 */
async function checkContents(core: Core, files: readonly UploadFile[]): Promise<RuleFiles> {
  const ruleFiles: RuleFiles = {};
  const checks = files.flatMap(({ path, sha256 }) => {
    const check = createContentCheck(path, ruleFiles);
    return check ? [{ sha256, check }] : [];
  });
  if (checks.length === 0) return ruleFiles;
  const rows = await db(core)
    .selectFrom('content')
    .select(({ ref }) => [hexOf(ref('hash')).as('sha256'), 'pack_id as pack', 'offset', 'length'])
    .where(isOneOf([...new Set(checks.map(({ sha256 }) => sha256))]))
    .execute();
  const locations = new Map<string, ContentLocation>(rows.map((row) => [row.sha256, row]));
  for (const { sha256, check } of checks) {
    const location = locations.get(sha256);
    if (!location) throw unavailable('Some of the content was just removed; begin the upload again.');
    for await (const chunk of core.packs.stream(location)) check.write(chunk as Buffer);
    check.end();
  }
  return ruleFiles;
}

/** From here on the deployment refers to the contents. The row stays for a while, for repeated commits. */
async function close(em: EntityManager, core: Core, { hash }: FoundUpload): Promise<void> {
  const committed = core.now();
  const expires = new Date(committed.getTime() + UPLOAD_SECONDS * 1000);
  const closed = await em.nativeUpdate(
    Upload,
    { hash, committed: null },
    { committed, expires, paths: [], hashes: Buffer.of(), sizes: [], asked: Buffer.of(), lengths: [] },
  );
  if (closed !== 1) throw uploadNotFound();
  await em.nativeDelete(UploadContent, { upload: hash });
  await em.nativeDelete(UploadPack, { upload: hash });
}
