import { ANONYMOUS_TTL_SECONDS, type CreatedDeployment, type Warning } from '@berth/contract';
import { isWorthCompressing } from '@berth/serving';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Caller, Scope } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { Account, Deployment } from '../../entities/index.ts';
import { notFound } from '../../errors.ts';
import { failpoint } from '../../failpoints.ts';
import { lockActiveAccount } from '../accounts/account-lock.ts';
import { incrementDeploymentCount } from '../accounts/accounts.ts';
import { lockCredential } from '../authentication.ts';
import { recordActivity } from '../activities/activities.ts';
import { assignToPacks } from '../packs/assign-to-packs.ts';
import type { NewPack } from '../packs/contents.ts';
import { FRONT_PAGE } from '../front-pages/read-front-pages.ts';
import { enterFence } from '../packs/fence.ts';
import { markSealed } from '../packs/open-packs.ts';
import { findPacksOfUpload } from '../packs/upload-packs.ts';
import { randomDeploymentId, randomSecret, secretHash } from '../random.ts';
import { countStorage } from './deploy-storage.ts';
import type { DeploySettings } from './deploy-options.ts';
import { toDeployment } from './deployments.ts';
import { findInheritedPassword, pointDomain } from './domain-target.ts';
import { findReplay, type KeyedRequest, storeOutcome } from './idempotency.ts';
import type { BegunUpload, FileColumns, Manifest } from './manifest.ts';
import { deleteOldVersions } from './versions.ts';

/** A deployment that is ready to be recorded, while its bytes are written to the disk. */
export interface Publication {
  manifest: Manifest;
  options: Omit<DeploySettings, 'password'>;
  /** The password hash as a PHC string; `null` for a public site, unless it gets the password of its domain. */
  passwordHash: string | null;
  /** The new contents; `null` if every content was already stored. */
  pack: NewPack | null;
  /** The delta upload that has the same files and keeps all contents, which have counted as stored since it began; `null` for other deploys. */
  upload: BegunUpload | null;
  /** The rules of the rule files, as the JSON of `RuleData`; `null` if there are no rules. */
  rules: string | null;
  warnings: Warning[];
  idempotency: KeyedRequest | null;
}

/**
 * Publishes a deployment in the caller's transaction: contents, counters, deployment, manifest, audit log and idempotency
 * record are written together or not at all. Contents are inserted while the pack is still being made durable; they become
 * visible with the commit, which waits for the pack.
 *
 * The domain of the deploy is pointed at the deployment, and its old versions are deleted, in the same transaction. If the
 * domain is refused, nothing is published.
 *
 * @returns The body of the 201, whether it was stored by an earlier request, and whether the new pack is used.
 * @throws `authentication_failed` for a credential that was revoked in the meantime; `forbidden` at a cap of the plan;
 *   `business_logic_error` for a key that was used for another request, and for a domain of another account;
 *   `validation_failed` for a name that can no longer be a domain; `unavailable`. Source: storage P3 to P6.
 */
export async function publish(em: EntityManager, scope: Scope<Caller>, publication: Publication) {
  const { core, caller } = scope;
  const { manifest, pack, upload, idempotency } = publication;
  const { target } = publication.options;
  failpoint('deploy.begun');
  if (idempotency) {
    const earlier = await findReplay<CreatedDeployment>(em, core, idempotency);
    if (earlier) {
      await lockCredential(em, scope);
      return { body: earlier, replayed: true, packUsed: false };
    }
  }
  await enterFence(em);
  const uploadPacks = upload && (await findPacksOfUpload(em, upload.hash, manifest.files));
  const { packs, fresh } = uploadPacks
    ? { packs: uploadPacks, fresh: new Map<string, number>() }
    : await assignToPacks(
        em,
        () => manifest.contents(),
        pack,
        () => manifest.prepare(),
      );
  await pack?.sealed;
  failpoint('deploy.contents-inserted');
  const locked = caller.kind === 'account' ? await lockActiveAccount(em, caller.account) : null;
  await lockCredential(em, scope);
  const owner = caller.kind === 'account' ? { core, caller } : null;
  const { deleted, account } =
    locked && owner && target ? await deleteOldVersions(em, owner, locked, target) : { deleted: [], account: locked };
  if (account) await incrementDeploymentCount(em, core, account);
  await countStorage(em, scope, account, publication, fresh);
  failpoint('deploy.account-counted');

  const claim = caller.kind === 'anonymous' ? randomSecret() : null;
  const row = await createDeployment(em, scope, publication, claim);
  if (account && owner && target) await pointDomain(em, owner, target, { account, deployment: row });
  failpoint('deploy.domain-set');
  const body: CreatedDeployment = {
    ...toDeployment(core.addresses, row, target ? [target.domain] : []),
    ...(claim === null ? {} : { claim: core.addresses.claim(claim) }),
    ...(target && target.keep !== null && { deleted }),
    ...(publication.warnings.length > 0 ? { warnings: publication.warnings } : {}),
  };
  if (idempotency) storeOutcome(em, core, idempotency, body);
  await em.flush();
  const packUsed = pack !== null && packs.includes(pack.id);
  if (packUsed) await markSealed(em, core, pack.id, (await pack.sealed).sizeBytes);
  await insertManifest(em, row, publication, packs);
  failpoint('deploy.rows-inserted');
  return { body, replayed: false, packUsed };
}

/** @param claim The claim hash of an anonymous deployment, which is stored as a hash; otherwise `null`. */
async function createDeployment(
  em: EntityManager,
  { core, caller }: Scope<Caller>,
  { manifest: { files }, options, passwordHash }: Publication,
  claim: string | null,
): Promise<Deployment> {
  const created = core.now();
  const account = caller.kind === 'account' ? caller.account : null;
  const ttlSeconds = account === null ? ANONYMOUS_TTL_SECONDS : options.ttlSeconds;
  const inheritedPassword = account === null ? null : await findInheritedPassword(em, account, options.target);
  const row = em.create(Deployment, {
    id: await issueDeploymentId(em),
    account: account === null ? null : em.getReference(Account, account),
    address: caller.kind === 'anonymous' ? caller.address : null,
    status: 'success',
    files: files.length,
    size: files.reduce((sum, { size }) => sum + size, 0),
    labels: options.labels,
    via: options.via,
    authMethod: caller.kind === 'account' ? caller.authMethod : null,
    token: caller.kind === 'account' ? caller.token : null,
    passwordHash: inheritedPassword ?? passwordHash,
    claimHash: claim === null ? null : secretHash(claim),
    created,
    compressAt: files.some(({ path, size }) => isWorthCompressing(path, size)) ? created : null,
    expires: ttlSeconds === null ? null : new Date(created.getTime() + ttlSeconds * 1000),
  });
  em.persist(row);
  if (caller.kind === 'account')
    recordActivity(em, {
      account: caller.account,
      event: 'deployment.create',
      authMethod: caller.authMethod,
      created,
      deployment: row.id,
      meta: { files: row.files, size: row.size, via: row.via },
    });
  return row;
}

async function issueDeploymentId(em: EntityManager): Promise<string> {
  for (;;) {
    const id = randomDeploymentId();
    const { numInsertedOrUpdatedRows } = await db(em)
      .insertInto('issued_id')
      .values({ id })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow();
    if (numInsertedOrUpdatedRows === 1n) return id;
  }
}

async function insertManifest(
  em: EntityManager,
  { id: deployment, created }: Deployment,
  { manifest, upload, rules }: Publication,
  packs: readonly string[],
): Promise<void> {
  const { keys, positions } = await manifest.pathIndex();
  // A job reads the title and the icon of the site afterwards, so that they cost a deploy no time.
  const queued = manifest.files.some(({ path }) => path === FRONT_PAGE)
    ? sql`queued as (insert into front_page (deployment_id, due) values (${deployment}, ${created})),`
    : sql``;
  const { numAffectedRows } = await sql`
    with ${queued} referred as (
      insert into deployment_pack (deployment_id, pack_id) select ${deployment}, unnest(${packs}::uuid[]))
    insert into manifest (deployment_id, paths, hashes, sizes, rules, path_keys, path_positions)
    select ${deployment}, paths, hashes, sizes, ${rules}::jsonb, ${keys}, ${positions}
    from ${upload ? filesOfUpload(upload) : filesAsRow(await manifest.columns())}`.execute(db(em));
  if (numAffectedRows !== 1n) throw notFound('upload');
}

/** SQL for the files of an upload. PostgreSQL copies them, so that they need not be sent again. */
const filesOfUpload = ({ hash, created }: BegunUpload) => sql`upload where hash = ${hash} and created = ${created}`;

const filesAsRow = ({ paths, hashes, sizes }: FileColumns) =>
  sql`(select ${paths}::text[] as paths, ${hashes}::bytea as hashes, ${sizes}::bigint[] as sizes) as files`;
