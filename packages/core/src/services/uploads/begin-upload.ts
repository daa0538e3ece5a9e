import { createHmac } from 'node:crypto';
import {
  type BeginUpload,
  type BegunUpload,
  type DeployOptions,
  normalizeVia,
  UPLOAD_SECONDS,
  type UploadFile,
} from '@berth/contract';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Caller, Core } from '../../core.ts';
import { TextArray } from '../../entities/text-array.ts';
import { ServiceError } from '../../errors.ts';
import { failpoint } from '../../failpoints.ts';
import { refuseFull } from '../accounts/accounts.ts';
import { limitsOf } from '../accounts/plans.ts';
import { takeDeployBudget } from '../deployments/deploy-budget.ts';
import { fingerprintOf, type IdempotencyKey, readIdempotencyKey } from '../deployments/idempotency.ts';
import { numberArray, packHashes } from '../packs/contents.ts';
import { enterFence } from '../packs/fence.ts';
import { randomSecret, secretHash } from '../random.ts';
import { hashPassword } from '../sites/passwords.ts';
import { readBase } from './base-deployment.ts';
import { findOwnContents } from './own-contents.ts';
import { changedFiles, otherSize, planFiles } from './planned-files.ts';
import { type ContentLengths, findUpload, missingOf, noUpload } from './uploads.ts';

/** Who begins, and how. */
export interface Beginning {
  core: Core;
  caller: Caller;
  /** The `Idempotency-Key` as it was sent. */
  idempotencyKey?: string | undefined;
}

/** What an upload will publish, and what it needs for that. */
interface Plan {
  files: UploadFile[];
  /** What its client is to send. */
  asked: ContentLengths;
  /** The packs of what its client is spared. */
  packs: ReadonlySet<string>;
}

/**
 * Begins an upload, or goes on with the one that was begun with the same key. It can be committed for 24 hours; what its
 * client is spared stays stored until then.
 *
 * A new one is counted as a deploy: whoever has none left is turned away before anything is sent. Its commit then costs
 * nothing.
 *
 * @returns Its name and what is still to be sent, which spares only what this account, or this anonymous upload, has itself
 *   uploaded before.
 * @throws `validation_failed`, `forbidden`, `payload_too_large`, `rate_limit_exceeded`, `unavailable`; `not_found` for the
 *   base; `business_logic_error` for a key that was used for something else.
 * Source: contract §3, §9; security T2, T4, T22, T25, P10.
 */
export async function beginUpload(beginning: Beginning, input: BeginUpload): Promise<BegunUpload> {
  const { core, caller } = beginning;
  const key = readIdempotencyKey(beginning.idempotencyKey, caller);
  const name = key ? nameOf(core, key) : randomSecret();
  const options = optionsOf(input, caller);
  const fingerprint = fingerprintOf(core, canonical(input, options));

  const earlier = key && (await goOn(core, caller, name, fingerprint));
  if (earlier) return earlier;
  await refuseFull(core, caller);
  const budget = await takeDeployBudget(core, caller, null);
  const passwordHash = options.password === null ? null : await hashPassword(options.password);
  const begun = await core.database.transaction(async (em) => {
    await enterFence(em);
    const plan = await planOf(em, core, caller, input);
    const isNew = await insertUpload(em, core, caller, { ...options, passwordHash, ...plan, name, fingerprint });
    return isNew ? { upload: name, missing: [...plan.asked.keys()] } : null;
  });
  failpoint('upload.begun');
  if (begun) return begun;
  await budget.giveBack();
  const twin = await goOn(core, caller, name, fingerprint);
  if (!twin) throw noUpload();
  return twin;
}

/** The name that a key stands for: it can be found again, and guessed by nobody. Source: security §7. */
function nameOf(core: Core, { scope, key }: IdempotencyKey): string {
  const mac = createHmac('sha256', core.keys.idempotency).update(JSON.stringify(['upload', scope, key]));
  return mac.digest('hex').slice(0, 32);
}

function optionsOf({ labels, password, via, ttl }: BeginUpload, caller: Caller): DeployOptions {
  if (ttl !== undefined && caller.kind === 'anonymous')
    throw new ServiceError('forbidden', 'ttl needs a credential; an anonymous deployment lives for 3 days.');
  return { labels: labels ?? [], password: password ?? null, via: normalizeVia(via), ttlSeconds: ttl ?? null };
}

/** What "the same request" means: the order of files and paths says nothing. Source: contract §3. */
function canonical(input: BeginUpload, options: DeployOptions): unknown {
  const sorted = (files: readonly UploadFile[]) =>
    files.map(({ path, sha256, size }) => [path, sha256, size]).toSorted((a, b) => (a[0]! < b[0]! ? -1 : 1));
  const asked =
    input.base === undefined ? sorted(input.files) : [input.base, sorted(input.put), input.remove.toSorted()];
  return [asked, options];
}

/** The upload that a key has begun already; `null` when there is none. */
async function goOn(core: Core, caller: Caller, name: string, fingerprint: Buffer): Promise<BegunUpload | null> {
  const upload = await findUpload(core, caller, name);
  if (!upload) return null;
  if (Buffer.compare(upload.fingerprint, fingerprint) !== 0)
    throw new ServiceError(
      'business_logic_error',
      'This Idempotency-Key was used for another upload; use a new key for new content.',
      { details: { state: 'idempotency_key_used' } },
    );
  return { upload: name, missing: missingOf(upload) };
}

async function planOf(em: EntityManager, core: Core, caller: Caller, input: BeginUpload): Promise<Plan> {
  const limits = limitsOf(core, caller);
  if (input.base === undefined) {
    const files = planFiles(input.files, limits, { field: 'files' });
    return { files, ...(await spare(em, core, caller, files, new Map())) };
  }
  const base = await readBase(em, core, caller, input.base);
  const changed = changedFiles({ base: base.files, put: input.put, remove: input.remove });
  const files = planFiles(changed, limits, { field: 'put', base: base.files });
  const lengths = new Map(base.files.map(({ sha256, size }) => [sha256, size]));
  const { asked, packs } = await spare(em, core, caller, files, lengths);
  return { files, asked, packs: new Set([...packs, ...base.packs]) };
}

/**
 * Finds what the client need not send.
 *
 * @param known What is known to be there.
 * @throws `validation_failed` when a size is not that of its content.
 */
async function spare(
  em: EntityManager,
  core: Core,
  caller: Caller,
  files: readonly UploadFile[],
  known: ContentLengths,
): Promise<Omit<Plan, 'files'>> {
  const wanted = new Set(files.map(({ sha256 }) => sha256).filter((sha256) => !known.has(sha256)));
  const own =
    caller.kind === 'account'
      ? await findOwnContents(em, core, caller, wanted)
      : { lengths: new Map<string, number>(), packs: new Set<string>() };
  const asked = new Map<string, number>();
  for (const { path, size, sha256 } of files) {
    const length = known.get(sha256) ?? own.lengths.get(sha256);
    if (length === undefined) asked.set(sha256, size);
    else if (length !== size) throw otherSize(path, size, length);
  }
  return { asked, packs: own.packs };
}

interface NewUpload extends Omit<DeployOptions, 'password'>, Plan {
  name: string;
  fingerprint: Buffer;
  passwordHash: string | null;
}

/** @returns False when a twin with the same key was first; nothing is written then. */
async function insertUpload(em: EntityManager, core: Core, caller: Caller, upload: NewUpload): Promise<boolean> {
  const db = em.getKysely();
  const { files, asked, packs, labels, via, passwordHash, ttlSeconds, fingerprint } = upload;
  const hash = secretHash(upload.name);
  const created = core.now();
  const expires = new Date(created.getTime() + UPLOAD_SECONDS * 1000);
  const [account, address] = caller.kind === 'account' ? [caller.account, null] : [null, caller.address];
  // The key may have begun another one, which can be committed no more.
  await sql`delete from upload where hash = ${hash} and expires <= ${created}`.execute(db);
  const { numAffectedRows } = await sql`
    insert into upload (hash, account_id, address, fingerprint, paths, hashes, sizes, asked, lengths, labels, via,
      password_hash, ttl, created, expires)
    values (${hash}, ${account}, ${address}, ${fingerprint}, ${textArray(files.map(({ path }) => path))}::text[],
      ${packHashes(files.map(({ sha256 }) => sha256))}, ${numberArray(files.map(({ size }) => size))}::bigint[],
      ${packHashes([...asked.keys()])}, ${numberArray([...asked.values()])}::bigint[], ${textArray(labels)}::text[],
      ${via}, ${passwordHash}, ${ttlSeconds}, ${created}, ${expires})
    on conflict do nothing`.execute(db);
  if (numAffectedRows !== 1n) return false;
  await sql`insert into upload_pack (upload_hash, pack_id) select ${hash}, unnest(${[...packs]}::uuid[])`.execute(db);
  return true;
}

const textArray = (texts: string[]) => new TextArray().convertToDatabaseValue(texts);
