import { createHmac } from 'node:crypto';
import {
  type BeginUpload,
  type BegunUpload,
  type ChangeUpload,
  type DeployOptions,
  normalizeVia,
  UPLOAD_SECONDS,
  type UploadFile,
  type WholeUpload,
} from '@berth/contract';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Caller, Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { TextArray } from '../../entities/text-array.ts';
import { ServiceError } from '../../errors.ts';
import { failpoint } from '../../failpoints.ts';
import { ownTurn } from '../../fair-turns.ts';
import { type LockedAccount, lockActiveAccount } from '../accounts/account-lock.ts';
import { refuseAtDeploymentCap } from '../accounts/accounts.ts';
import { lockCredential } from '../authentication.ts';
import { addStorage, lockAnonymousAddress, markStorageInexact, requireAnonymousStorage } from '../accounts/storage.ts';
import { limitsOf } from '../accounts/plans.ts';
import { takeDeployBudget } from '../deployments/deploy-budget.ts';
import { fingerprintOf, type IdempotencyKey, readIdempotencyKey } from '../deployments/idempotency.ts';
import { type ContentLengths, numberArray, packHashes, isAnyStored } from '../packs/contents.ts';
import { enterFence } from '../packs/fence.ts';
import { randomSecret, secretHash } from '../random.ts';
import { hashPassword } from '../sites/passwords.ts';
import { findOwnContents } from '../packs/own-contents.ts';
import { type BaseDeployment, readBaseDeployment } from './base-deployment.ts';
import { changedFiles, sizeMismatch, planFiles } from './planned-files.ts';
import { makeUploadRoom } from './upload-room.ts';
import { findUpload, findMissingHashes, uploadNotFound, touchUpload } from './uploads.ts';

/** From here on, a step that handles every file takes longer than a turn. */
const MANY_FILES = 1_000;

/** The caller and the key of a new upload. */
export interface BeginRequest {
  core: Core;
  caller: Caller;
  /** The `Idempotency-Key` of the request, unchanged. */
  idempotencyKey?: string | undefined;
}

/** The files that an upload will publish, and the contents they need. */
interface UploadPlan {
  files: UploadFile[];
  /** The contents that the client must send. */
  asked: ContentLengths;
  /** The packs of the contents that the client need not send. */
  packs: ReadonlySet<string>;
  /** The password hash of the base as a PHC string; `null` if there is no base or it is public. */
  basePasswordHash: string | null;
}

/**
 * Begins an upload, or resumes the one that was begun with the same key. It can be committed for 24 hours; the contents
 * that the client need not send stay stored until then.
 *
 * A new upload counts as a deploy against the rate limit, so that a client without budget is refused before it sends
 * anything. The commit does not count again.
 *
 * @returns The id of the upload and the missing contents. Only contents that this account, or this anonymous upload,
 *   has uploaded before count as present. The new deployment inherits the password of its base, unless an API key sets
 *   another one or, with `null`, removes it.
 *
 * @throws `validation_failed`, `authentication_failed`, `payload_too_large`, `unavailable`; `forbidden` at a cap of
 *   the plan; `rate_limit_exceeded`, also if too many uploads are open; `not_found` for the base;
 *   `business_logic_error` for a base that was taken down, for a password from a deploy token with a protected base,
 *   and for a key that was used for another request.
 * Source: api §3, §9; security T2, T4, T22, T25; storage P10.
 */
export async function beginUpload(request: BeginRequest, input: BeginUpload): Promise<BegunUpload> {
  const { core, caller } = request;
  const key = readIdempotencyKey(request.idempotencyKey, caller);
  const name = key ? uploadNameOf(core, key) : randomSecret();
  const options = optionsOf(input, caller);
  if ((input.files ?? input.put).length > MANY_FILES) await ownTurn();
  const fingerprint = fingerprintOf(core, canonical(input, options));

  const earlier = key && (await resume(core, caller, name, fingerprint));
  if (earlier) return earlier;
  await refuseAtDeploymentCap(core, caller);
  const budget = await takeDeployBudget(core, caller, null);
  const planIn = input.base === undefined ? planWhole(core, caller, input) : planChange(core, caller, input);
  const passwordHash = options.password === null ? null : await hashPassword(options.password);
  const begunUpload = await core.database.transaction(async (em) => {
    await enterFence(em);
    const account = await lockOwner(em, core, caller);
    if (await wasBegunConcurrently(em, core, caller, name)) return null;
    const plan = await planIn(em);
    const password = passwordOf(input, caller, passwordHash, plan);
    await makeUploadRoom(em, core, caller);
    await reserveStorage(em, core, caller, account, plan);
    await insertUpload(em, core, caller, { ...options, passwordHash: password, ...plan, name, fingerprint });
    return { upload: name, missing: [...plan.asked.keys()] };
  });
  failpoint('upload.begun');
  if (begunUpload) return begunUpload;
  await budget.giveBack();
  const twin = await resume(core, caller, name, fingerprint);
  if (!twin) throw uploadNotFound();
  return twin;
}

/** The upload id for a key: it can be computed again, but not guessed. Source: security §7. */
function uploadNameOf(core: Core, { scope, key }: IdempotencyKey): string {
  const mac = createHmac('sha256', core.keys.idempotency).update(JSON.stringify(['upload', scope, key]));
  return mac.digest('hex').slice(0, 32);
}

function optionsOf({ labels, password, via, ttl }: BeginUpload, caller: Caller): DeployOptions {
  if (ttl !== undefined && caller.kind === 'anonymous')
    throw new ServiceError('forbidden', 'ttl needs a credential; anonymous deployments expire after 3 days.');
  return { labels: labels ?? [], password: password ?? null, via: normalizeVia(via), ttlSeconds: ttl ?? null };
}

/**
 * The canonical request, which defines "the same request". The order of files and paths does not matter. Source:
 * api §3.
 */
function canonical(input: BeginUpload, options: DeployOptions): unknown {
  const sorted = (files: readonly UploadFile[]) =>
    files.map(({ path, sha256, size }) => [path, sha256, size]).toSorted((a, b) => (a[0]! < b[0]! ? -1 : 1));
  const missingLengths =
    input.base === undefined ? sorted(input.files) : [input.base, sorted(input.put), input.remove.toSorted()];
  return input.password === null ? [missingLengths, options, 'no password'] : [missingLengths, options];
}

/** The upload that was already begun with a key; otherwise `null`. */
async function resume(core: Core, caller: Caller, name: string, fingerprint: Buffer): Promise<BegunUpload | null> {
  const upload = await findUpload(core, caller, name);
  if (!upload) return null;
  if (Buffer.compare(upload.fingerprint, fingerprint) !== 0)
    throw new ServiceError(
      'business_logic_error',
      'This Idempotency-Key was used for another upload; use a new key for new content.',
      { details: { state: 'idempotency_key_used' } },
    );
  await touchUpload(core, upload);
  return { upload: name, missing: await findMissingHashes(core, upload) };
}

/**
 * Locks the account or the address to which the upload counts. @returns The account; `null` for an anonymous caller.
 */
async function lockOwner(em: EntityManager, core: Core, caller: Caller): Promise<LockedAccount | null> {
  if (caller.kind === 'anonymous') {
    await lockAnonymousAddress(em, caller.address);
    return null;
  }
  const account = await lockActiveAccount(em, caller.account);
  await lockCredential(em, core, caller);
  return account;
}

/** True if a concurrent request with the same key was first. An expired upload of that key is deleted. */
async function wasBegunConcurrently(em: EntityManager, core: Core, caller: Caller, name: string): Promise<boolean> {
  const hash = secretHash(name);
  const { rows } = await sql<{ open: boolean }>`
    delete from upload where hash = ${hash} and expires <= ${core.now()} returning committed is null as open`.execute(
    db(em),
  );
  if (rows[0]?.open && caller.kind === 'account') await markStorageInexact(em, caller.account);
  return (await sql`select 1 from upload where hash = ${hash}`.execute(db(em))).rows.length > 0;
}

/** The password hash of the new site. @throws `business_logic_error`. Source: api §9. */
function passwordOf(
  { password }: BeginUpload,
  caller: Caller,
  passwordHash: string | null,
  { basePasswordHash }: UploadPlan,
): string | null {
  if (password === undefined) return basePasswordHash;
  if (basePasswordHash !== null && caller.kind === 'account' && caller.credential === 'deploy')
    throw new ServiceError(
      'business_logic_error',
      'The base is protected by a password, which a deploy token cannot change; leave out password to keep it.',
      { details: { state: 'base_protected' } },
    );
  return passwordHash;
}

/**
 * Counts the contents of an upload as stored. @throws `forbidden`, with `details`, beyond the cap. Source: api §6.
 */
async function reserveStorage(
  em: EntityManager,
  core: Core,
  caller: Caller,
  account: LockedAccount | null,
  { files, asked }: UploadPlan,
): Promise<void> {
  if (caller.kind === 'anonymous')
    await requireAnonymousStorage(em, caller.address, new Map(files.map(({ sha256, size }) => [sha256, size])));
  if (!account) return;
  // Contents that are not stored at all are not in any deployment of the account.
  await addStorage(em, core, account, asked, { certain: !(await isAnyStored(em, [...asked.keys()])) });
}

/** Plans the upload in its transaction. */
type PlanIn = (em: EntityManager) => Promise<UploadPlan>;

/** Checks the files first, so that invalid ones are refused without a transaction. */
function planWhole(core: Core, caller: Caller, input: WholeUpload): PlanIn {
  const files = planFiles(input.files, limitsOf(core, caller), { field: 'files' });
  return async (em) => ({
    files,
    ...(await findMissingContents(em, core, caller, files, new Map())),
    basePasswordHash: null,
  });
}

const planChange =
  (core: Core, caller: Caller, input: ChangeUpload): PlanIn =>
  async (em) => {
    const base: BaseDeployment = await readBaseDeployment(em, core, caller, input.base);
    const changed = changedFiles({ base: base.files, put: input.put, remove: input.remove });
    const files = planFiles(changed, limitsOf(core, caller), { field: 'put', base: base.files });
    const lengths = new Map(base.files.map(({ sha256, size }) => [sha256, size]));
    const { asked, packs } = await findMissingContents(em, core, caller, files, lengths);
    return { files, asked, packs: new Set([...packs, ...base.packs]), basePasswordHash: base.passwordHash };
  };

/**
 * Finds the contents that the client need not send.
 *
 * @param known Contents that are known to be stored.
 * @throws `validation_failed` if a size is not that of its content.
 */
async function findMissingContents(
  em: EntityManager,
  core: Core,
  caller: Caller,
  files: readonly UploadFile[],
  known: ContentLengths,
): Promise<Pick<UploadPlan, 'asked' | 'packs'>> {
  const wanted = new Set(files.map(({ sha256 }) => sha256).filter((sha256) => !known.has(sha256)));
  const ownContents =
    caller.kind === 'account'
      ? await findOwnContents(em, core, caller.account, wanted)
      : { lengths: new Map<string, number>(), packs: new Set<string>() };
  const missingContents = new Map<string, number>();
  for (const { path, size, sha256 } of files) {
    const length = known.get(sha256) ?? ownContents.lengths.get(sha256);
    if (length === undefined) missingContents.set(sha256, size);
    else if (length !== size) throw sizeMismatch(path, size, length);
  }
  return { asked: missingContents, packs: ownContents.packs };
}

interface NewUpload extends Omit<DeployOptions, 'password'>, UploadPlan {
  name: string;
  fingerprint: Buffer;
  passwordHash: string | null;
}

async function insertUpload(em: EntityManager, core: Core, caller: Caller, upload: NewUpload): Promise<void> {
  const { files, asked, packs, labels, via, passwordHash, ttlSeconds, fingerprint } = upload;
  const hash = secretHash(upload.name);
  const created = core.now();
  const expires = new Date(created.getTime() + UPLOAD_SECONDS * 1000);
  const [account, token, address] =
    caller.kind === 'account' ? [caller.account, caller.token, null] : [null, null, caller.address];
  await sql`
    insert into upload (hash, account_id, token, address, fingerprint, paths, hashes, sizes, asked, lengths, labels, via,
      password_hash, ttl, created, touched, expires)
    values (${hash}, ${account}, ${token}, ${address}, ${fingerprint}, ${textArray(files.map(({ path }) => path))}::text[],
      ${packHashes(files.map(({ sha256 }) => sha256))}, ${numberArray(files.map(({ size }) => size))}::bigint[],
      ${packHashes([...asked.keys()])}, ${numberArray([...asked.values()])}::bigint[], ${textArray(labels)}::text[],
      ${via}, ${passwordHash}, ${ttlSeconds}, ${created}, ${created}, ${expires})`.execute(db(em));
  await sql`insert into upload_pack (upload_hash, pack_id) select ${hash}, unnest(${[...packs]}::uuid[])`.execute(
    db(em),
  );
}

const textArray = (texts: string[]) => new TextArray().convertToDatabaseValue(texts);
