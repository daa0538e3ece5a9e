import { createHmac } from 'node:crypto';
import {
  type BeginUpload,
  type BegunUpload,
  type ChangeUpload,
  UPLOAD_SECONDS,
  type UploadFile,
  type WholeUpload,
} from '@berth/contract';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { type Caller, clientOf, type Core, type Scope } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { Upload } from '../../entities/index.ts';
import { notFound, ServiceError } from '../../errors.ts';
import { failpoint } from '../../failpoints.ts';
import { ownTurn } from '../../fair-turns.ts';
import { type LockedAccount, lockActiveAccount } from '../accounts/account-lock.ts';
import { refuseAtDeploymentCap } from '../accounts/accounts.ts';
import { fileLimitsOf } from '../accounts/plans.ts';
import { addStorage, lockAnonymousAddress, markStorageInexact, requireAnonymousStorage } from '../accounts/storage.ts';
import { lockCredential } from '../authentication.ts';
import { takeDeployBudget } from '../deployments/deploy-budget.ts';
import { type DeploySettings, readDeployOptions } from '../deployments/deploy-options.ts';
import { refuseUnavailableTarget } from '../deployments/domain-target.ts';
import { findOldVersions } from '../deployments/versions.ts';
import { contentColumnsOf, Manifest, manifestsOf, pathColumnOf } from '../deployments/manifest.ts';
import {
  canonicalFiles,
  fingerprintOf,
  type IdempotencyKey,
  keyUsed,
  readIdempotencyKey,
} from '../deployments/idempotency.ts';
import { type ContentLengths, isAnyStored, numberArray, packHashes, textArray } from '../packs/contents.ts';
import { enterFence } from '../packs/fence.ts';
import { findOwnContents } from '../packs/own-contents.ts';
import { randomSecret, secretHash } from '../random.ts';
import { hashPassword } from '../passwords.ts';
import { planChangedFiles, planWholeFiles, readBaseDeployment, sizeMismatch } from './planned-files.ts';
import { findUpload, makeUploadRoom, readContents, referToPacks, touchUpload, uploadNotFound } from './uploads.ts';

/** The number of files above which an upload waits for a turn of its own before its request is hashed. */
const MANY_FILES = 1_000;

interface UploadPlan {
  manifest: Manifest;
  /** The deployment that has the same paths in the same order; `null` if it is not known. */
  pathsOf: string | null;
  /** The contents that the client must send. */
  missing: ContentLengths;
  /** The packs of the contents that the client need not send. */
  packs: ReadonlySet<string>;
  /** The password hash of the base as a PHC string; `null` without a base or for a public base. */
  basePasswordHash: string | null;
}

/**
 * Begins an upload, or resumes the upload that was begun with the same key. The upload can be committed for 24 hours; the
 * contents that the client need not send stay stored until then.
 *
 * A new upload counts as a deploy against the rate limit, so that a client without budget is refused before it sends
 * anything; its commit does not count. The new deployment inherits the password of its base, unless an API key sets
 * another password or removes it with `null`.
 *
 * @returns The id of the upload and the missing contents. Only contents that this account, or this anonymous upload,
 *   has uploaded before are not missing.
 * @throws `validation_failed`, `authentication_failed`, `payload_too_large`, `unavailable`; `forbidden` at a cap of
 *   the plan; `rate_limit_exceeded`, also for too many open uploads; `not_found` for the base; `business_logic_error`
 *   for a base that was taken down, for a password from a deploy token with a protected base, and for a key that was
 *   used for another request. Source: api §3, §9; security T2, T4, T22, T25; storage P10.
 */
export async function beginUpload(
  scope: Scope<Caller> & { readonly idempotencyKey?: string | undefined },
  input: BeginUpload,
): Promise<BegunUpload> {
  const { core, caller } = scope;
  const key = readIdempotencyKey(scope.idempotencyKey, caller);
  const name = key ? uploadIdOf(core, key) : randomSecret();
  const options = readDeployOptions(scope, input);
  if ((input.files ?? input.put).length > MANY_FILES) await ownTurn(clientOf(caller));
  const fingerprint = fingerprintOf(core, canonicalRequest(input, options));

  const earlierUpload = key && (await resumeUpload(scope, name, fingerprint));
  if (earlierUpload) return earlierUpload;
  await refuseAtDeploymentCap(scope, (await findOldVersions(scope, options.target)).length);
  if (options.target) await refuseUnavailableTarget(scope, options.target.domain);
  const budget = await takeDeployBudget(scope, null);
  const makePlan = input.base === undefined ? planWhole(scope, input) : planChange(scope, input);
  const passwordHash = options.password === null ? null : await hashPassword(options.password);
  const begun = await core.database.transaction(async (em) => {
    await enterFence(em);
    const account = await lockOwner(em, scope);
    if (await wasBegunConcurrently(em, scope, name)) return null;
    const plan = await makePlan(em);
    const upload = {
      ...options,
      passwordHash: passwordOf(input, caller, passwordHash, plan),
      hash: secretHash(name),
      fingerprint,
      created: core.now(),
    };
    await makeUploadRoom(em, scope);
    await reserveStorage(em, scope, account, plan, await findOldVersions(scope, options.target, em));
    await insertUpload(em, scope, upload, plan);
    return { upload, plan };
  });
  failpoint('upload.begun');
  if (begun) {
    manifestsOf(core).keepUpload(begun.upload, begun.plan.manifest);
    return { upload: name, missing: [...begun.plan.missing.keys()] };
  }
  await budget.giveBack();
  const concurrent = await resumeUpload(scope, name, fingerprint);
  if (!concurrent) throw uploadNotFound();
  return concurrent;
}

/** Derives the id of an upload from its key, so that only the server can compute it. Source: security §7. */
function uploadIdOf(core: Core, { scope, key }: IdempotencyKey): string {
  const mac = createHmac('sha256', core.keys.idempotency).update(JSON.stringify(['upload', scope, key]));
  return mac.digest('hex').slice(0, 32);
}

/** Returns what the fingerprint of a request covers. The order of files and paths does not matter. Source: api §3. */
function canonicalRequest(input: BeginUpload, options: DeploySettings): unknown {
  const files =
    input.base === undefined
      ? canonicalFiles(input.files)
      : [input.base, canonicalFiles(input.put), input.remove.toSorted()];
  return isOpen(input) ? [files, options, 'no password'] : [files, options];
}

/** Whether the request asks for a site without a password, whatever its base or its domain has. */
const isOpen = ({ password, open = false }: BeginUpload): boolean => open || password === null;

/** Returns the upload that was begun earlier with the same idempotency key, or `null`. */
async function resumeUpload(scope: Scope<Caller>, name: string, fingerprint: Buffer): Promise<BegunUpload | null> {
  const upload = await findUpload(scope, name);
  if (!upload) return null;
  if (Buffer.compare(upload.fingerprint, fingerprint) !== 0) throw keyUsed('upload');
  await touchUpload(scope.core, upload);
  if (upload.missing === 0) return { upload: name, missing: [] };
  const { requested, received } = await readContents(scope.core, upload);
  return { upload: name, missing: [...requested.keys()].filter((sha256) => !received.has(sha256)) };
}

async function lockOwner(em: EntityManager, scope: Scope<Caller>): Promise<LockedAccount | null> {
  const { caller } = scope;
  if (caller.kind === 'anonymous') {
    await lockAnonymousAddress(em, caller.address);
    return null;
  }
  const account = await lockActiveAccount(em, caller.account);
  await lockCredential(em, scope);
  return account;
}

/** Returns whether a concurrent request has begun the upload. Deletes an expired upload with the same key. */
async function wasBegunConcurrently(
  em: EntityManager,
  { core, caller }: Scope<Caller>,
  name: string,
): Promise<boolean> {
  const hash = secretHash(name);
  const upload = await db(em).selectFrom('upload').select('expires').where('hash', '=', hash).executeTakeFirst();
  if (!upload) return false;
  if (upload.expires > core.now()) return true;
  await em.nativeDelete(Upload, { hash });
  if (caller.kind === 'account') await markStorageInexact(em, caller.account);
  return false;
}

/** Returns the password hash of the new deployment. @throws `business_logic_error`. Source: api §9. */
function passwordOf(
  input: BeginUpload,
  caller: Caller,
  passwordHash: string | null,
  { basePasswordHash }: UploadPlan,
): string | null {
  if (input.password === undefined && !isOpen(input)) return basePasswordHash;
  if (basePasswordHash !== null && caller.kind === 'account' && caller.credential === 'deploy')
    throw new ServiceError(
      'business_logic_error',
      'The base is protected by a password, which a deploy token cannot change; leave out password to keep it.',
      { details: { state: 'base_protected' } },
    );
  return passwordHash;
}

/** @param leaving The deployments that the commit of the upload will delete. */
async function reserveStorage(
  em: EntityManager,
  { core, caller }: Scope<Caller>,
  account: LockedAccount | null,
  { manifest, missing }: UploadPlan,
  leaving: readonly string[],
): Promise<void> {
  if (caller.kind === 'anonymous') await requireAnonymousStorage(em, caller.address, manifest.contents());
  if (!account) return;
  // Contents that are not stored at all are not in any deployment of the account.
  const certain = !(await isAnyStored(em, [...missing.keys()]));
  await addStorage(em, core, account, missing, { certain, leaving });
}

type MakePlan = (em: EntityManager) => Promise<UploadPlan>;

/** Checks the files before the transaction, so that invalid files are refused without one. */
function planWhole(scope: Scope<Caller>, input: WholeUpload): MakePlan {
  const { files, listed } = planWholeFiles(input.files, fileLimitsOf(scope));
  return async (em) => {
    const found = await findMissingContents(em, scope, listed, new Map());
    return { manifest: new Manifest(files), pathsOf: null, ...found, basePasswordHash: null };
  };
}

function planChange(scope: Scope<Caller>, input: ChangeUpload): MakePlan {
  return async (em) => {
    const base = await readBaseDeployment(em, scope, input.base);
    const baseFiles = base.manifest.files;
    const { files, listed, hasSamePaths } = planChangedFiles(baseFiles, input, fileLimitsOf(scope));
    const listedHashes = new Set(listed.map(({ sha256 }) => sha256));
    const known = baseFiles.filter(({ sha256 }) => listedHashes.has(sha256));
    const lengths = new Map(known.map(({ sha256, size }) => [sha256, size]));
    const { missing, packs } = await findMissingContents(em, scope, listed, lengths);
    return {
      manifest: new Manifest(files, hasSamePaths ? base.manifest : null),
      pathsOf: hasSamePaths ? base.id : null,
      missing,
      packs: new Set([...packs, ...base.packs]),
      basePasswordHash: base.passwordHash,
    };
  };
}

/**
 * Finds the contents that the client must send.
 *
 * @param known Contents that are known to be stored.
 * @throws `validation_failed` if the given size of a file differs from the size of its content.
 */
async function findMissingContents(
  em: EntityManager,
  { core, caller }: Scope<Caller>,
  files: readonly UploadFile[],
  known: ContentLengths,
): Promise<Pick<UploadPlan, 'missing' | 'packs'>> {
  const wantedHashes = new Set(files.map(({ sha256 }) => sha256).filter((sha256) => !known.has(sha256)));
  const ownContents =
    caller.kind === 'account'
      ? await findOwnContents(em, core, caller.account, wantedHashes)
      : { lengths: new Map<string, number>(), packs: new Set<string>() };
  const missing = new Map<string, number>();
  for (const { path, size, sha256 } of files) {
    const length = known.get(sha256) ?? ownContents.lengths.get(sha256);
    if (length === undefined) missing.set(sha256, size);
    else if (length !== size) throw sizeMismatch(path, size, length);
  }
  return { missing, packs: ownContents.packs };
}

async function insertUpload(
  em: EntityManager,
  { caller }: Scope<Caller>,
  upload: Omit<DeploySettings, 'password'> & {
    hash: Buffer;
    fingerprint: Buffer;
    passwordHash: string | null;
    created: Date;
  },
  { manifest, pathsOf, missing, packs }: UploadPlan,
): Promise<void> {
  const { hash, labels, via, passwordHash, ttlSeconds, fingerprint, target, created } = upload;
  const { hashes, sizes } = contentColumnsOf(manifest.files);
  const expires = new Date(created.getTime() + UPLOAD_SECONDS * 1000);
  const [account, token, address] =
    caller.kind === 'account' ? [caller.account, caller.token, null] : [null, null, caller.address];
  const { numAffectedRows } = await sql`
    insert into upload (hash, account_id, token, address, fingerprint, paths, hashes, sizes, asked, lengths, labels, via,
      password_hash, ttl, domain, keep, inherits_password, created, touched, expires)
    select ${hash}, ${account}, ${token}, ${address}, ${fingerprint}, paths, ${hashes}, ${sizes}::bigint[],
      ${packHashes([...missing.keys()])}, ${numberArray([...missing.values()])}::bigint[], ${textArray(labels)}::text[],
      ${via}, ${passwordHash}, ${ttlSeconds}, ${target?.domain ?? null}, ${target?.keep ?? null},
      ${target?.inheritsPassword ?? false}, ${created}, ${created}, ${expires}
    from ${pathsOf === null ? pathsAsRow(manifest.files) : pathsOfDeployment(pathsOf)}`.execute(db(em));
  if (numAffectedRows !== 1n) throw notFound('deployment');
  await referToPacks(em, hash, [...packs]);
}

const pathsAsRow = (files: readonly UploadFile[]) => sql`(select ${pathColumnOf(files)}::text[] as paths) as files`;

/** SQL for the paths of a deployment. PostgreSQL copies them, so that they need not be sent. */
const pathsOfDeployment = (deployment: string) => sql`manifest where deployment_id = ${deployment}`;
