import { type CreatedDeployment, UPLOAD_SECONDS, type UploadFile } from '@berth/contract';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { StoredBytes } from '@berth/serving';
import { sql } from 'kysely';
import type { RuleFileBytes } from '../../rule-compiler/compile-rule-files.ts';
import type { Caller, Core, Scope } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { ServiceError, unavailable } from '../../errors.ts';
import { failpoint } from '../../failpoints.ts';
import { startPhases } from '../../metrics.ts';
import { countDeploy } from '../deployments/count-deploy.ts';
import { createContentCheck } from '../deployments/deploy-files.ts';
import { requireTargetAccess } from '../deployments/deploy-options.ts';
import { findReplay } from '../deployments/idempotency.ts';
import { Manifest, manifestsOf } from '../deployments/manifest.ts';
import { type Publication, publish } from '../deployments/publish.ts';
import { compileDeployRules } from '../deployments/rule-files.ts';
import { hexOf, isOneOf, readFiles } from '../packs/contents.ts';
import { streamContent } from '../packs/moved-contents.ts';
import { runQueued } from '../run-queued.ts';
import { type FoundUpload, getUpload, touchUpload, uploadNotFound } from './uploads.ts';

type CommitKey = NonNullable<Publication['idempotency']>;

/**
 * Publishes all files of an upload, or nothing. Commits of an upload run one after the other. A commit that is repeated
 * within 24 hours returns the same deployment.
 *
 * @throws `not_found`; `business_logic_error`, with their number, while contents are missing; `validation_failed` for a
 *   file that is refused; `authentication_failed` for a credential that was revoked in the meantime; `forbidden` at a cap
 *   of the plan; `unavailable`. Source: api §3, §9; storage P3 to P7.
 */
export async function commitUpload(scope: Scope<Caller>, name: string): Promise<CreatedDeployment> {
  // The list of files is large, and only the first of several concurrent commits needs it.
  const commit = async () => commitInTransaction(scope, await getUpload(scope, name));
  const { body } = await countDeploy(() => runQueued(scope.core, `commit:${name}`, commit));
  return body;
}

interface CommitOutcome {
  body: CreatedDeployment;
  replayed: boolean;
}

async function commitInTransaction(scope: Scope<Caller>, upload: FoundUpload): Promise<CommitOutcome> {
  const { core } = scope;
  const { hash, missing } = upload;
  // The outcome of an upload is stored like the outcome of a deploy with a key.
  const key: CommitKey = { scope: `upload:${hash.toString('hex')}`, key: 'commit', fingerprint: hash };
  if (upload.committed) return replayCommit(core, key);
  if (missing > 0)
    throw new ServiceError(
      'business_logic_error',
      `${missing} contents of this upload have not been sent yet; send them, then commit again.`,
      { details: { state: 'incomplete', missing } },
    );
  await touchUpload(core, upload);
  const publication = await publicationOf(scope, upload, key);
  if (!publication) return replayCommit(core, key); // Another process has committed the upload.
  const endPhase = startPhases();
  const outcome = await core.tracer.step('transaction', () =>
    core.database.transaction(async (em) => {
      const published = await publish(em, scope, publication);
      if (!published.replayed) await markCommitted(em, core, upload);
      return published;
    }),
  );
  endPhase('commit');
  manifestsOf(core).keepDeployment(outcome.body.deployment, upload, publication.manifest);
  failpoint('upload.committed');
  core.published.emit('deployment');
  return outcome;
}

async function replayCommit(core: Core, key: CommitKey): Promise<CommitOutcome> {
  const body = await core.database.transaction((em) => findReplay<CreatedDeployment>(em, core, key));
  if (!body) throw uploadNotFound();
  return { body, replayed: true };
}

/** Reads the files and options of an upload; `null` if the upload was committed. */
async function publicationOf(
  { core, caller }: Scope<Caller>,
  upload: FoundUpload,
  idempotency: CommitKey,
): Promise<Publication | null> {
  const { hash } = upload;
  const row = await db(core)
    .selectFrom('upload')
    .select(({ fn }) => [
      fn<string[]>('array_to_json', ['labels']).as('labels'),
      'via',
      'password_hash as passwordHash',
      'ttl as ttlSeconds',
      'domain',
      'keep',
      'inherits_password as inheritsPassword',
    ])
    .where('hash', '=', hash)
    .where('committed', 'is', null)
    .executeTakeFirst();
  if (!row) return null;
  const { labels, via, ttlSeconds, passwordHash, domain, keep, inheritsPassword } = row;
  const target = domain === null ? null : { domain, keep, inheritsPassword };
  if (target) requireTargetAccess({ core, caller }, target);
  const manifest = manifestsOf(core).ofUpload(upload) ?? (await readManifest(core, upload));
  if (!manifest) return null;
  return {
    manifest,
    options: { labels, via, ttlSeconds, ...(target && { target }) },
    passwordHash,
    pack: null,
    upload,
    ...(await compileDeployRules(core, await checkContents(core, manifest.files), manifest.files)),
    idempotency,
  };
}

async function readManifest(core: Core, { hash }: FoundUpload): Promise<Manifest | null> {
  const files = await readFiles(core, { upload: hash });
  return files && new Manifest(files);
}

/**
 * Checks the stored bytes of rule files and of files that may contain a private key. Each publication is checked, because a
 * content can be published under another name than the name with which it was uploaded.
 *
 * @returns The rule files. @throws `validation_failed` that names the refused file. Source: api §3; serving S22.
 */
async function checkContents(core: Core, files: readonly UploadFile[]): Promise<RuleFileBytes> {
  const ruleFiles: RuleFileBytes = {};
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
  const contents = new Map<string, StoredBytes>(rows.map((row) => [row.sha256, row]));
  for (const { sha256, check } of checks) {
    const content = contents.get(sha256);
    if (!content) throw unavailable('Some files were removed from the store in the meantime; begin the upload again.');
    for await (const chunk of streamContent(core, content)) check.write(chunk as Buffer);
    check.end();
  }
  return ruleFiles;
}

/** Marks an upload as committed. Its row stays for 24 hours, so that the commit can be repeated. */
async function markCommitted(em: EntityManager, core: Core, { hash }: FoundUpload): Promise<void> {
  const committedAt = core.now();
  const expires = new Date(committedAt.getTime() + UPLOAD_SECONDS * 1000);
  const { numAffectedRows } = await sql`
    with sent as (delete from upload_content where upload_hash = ${hash}),
      kept as (delete from upload_pack where upload_hash = ${hash})
    update upload set committed = ${committedAt}, expires = ${expires},
      paths = '{}', hashes = '', sizes = '{}', asked = '', lengths = '{}'
    where hash = ${hash} and committed is null`.execute(db(em));
  if (numAffectedRows !== 1n) throw uploadNotFound();
}
