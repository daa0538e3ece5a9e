import { setImmediate as nextTurn } from 'node:timers/promises';
import { type CreatedDeployment, FILES_FIELD } from '@berth/contract';
import { type Caller, clientOf, type Scope } from '../../core.ts';
import { ownTurn } from '../../fair-turns.ts';
import { ServiceError, throwRefusals } from '../../errors.ts';
import { failpoint } from '../../failpoints.ts';
import { startPhases } from '../../metrics.ts';
import type { ContentDigest } from '../../storage/pack-builder.ts';
import { type FileLimits, fileLimitsOf } from '../accounts/plans.ts';
import { StoredContentsQuery } from '../packs/contents.ts';
import { commitWithPack, openPack, type OpenPack, sealNewContents } from '../packs/open-packs.ts';
import { hashPassword } from '../passwords.ts';
import { type ArchiveFiles, collectArchive } from './archive-files.ts';
import { collectFiles, type DeployFiles, verifyChecksums } from './deploy-files.ts';
import { collectForm, type DeployForm } from './deploy-form.ts';
import { readDeployOptions, refuseForbiddenOptions } from './deploy-options.ts';
import { refuseUnavailableTarget } from './domain-target.ts';
import { trackStorage } from './deploy-storage.ts';
import { publishedFiles } from './file-rules.ts';
import { canonicalFiles, fingerprintOf, hasStoredOutcome, type IdempotencyKey } from './idempotency.ts';
import { Manifest } from './manifest.ts';
import { publish } from './publish.ts';
import { addRuleFileRefusal, compileDeployRules } from './rule-files.ts';
import { refuseFullAccount } from './versions.ts';

/** The number of files above which a deploy waits for a turn of its own before its files are checked. */
const MANY_FILES = 1_000;

/** A deploy that is being received. Its owner must always call `close`. */
export interface Deploy<Files = Pick<DeployFiles, 'begin'>> {
  files: Files;
  form: Pick<DeployForm, 'add'>;
  /**
   * Publishes everything that arrived, durably, or nothing.
   *
   * @throws `validation_failed`, `forbidden`, `payload_too_large`, `business_logic_error`, `unavailable`. Nothing has
   *   changed then, unless the connection to the database broke during COMMIT. A repeated deploy with the same key then
   *   returns the outcome.
   */
  commit(): Promise<{ body: CreatedDeployment; replayed: boolean }>;
  /** Removes everything that was not committed. */
  close(): Promise<void>;
}

/** A deploy whose files arrive as an archive, without checksums. */
export type ArchiveDeploy = Deploy<Pick<ArchiveFiles, 'begin' | 'leaveOut'>>;

/**
 * Starts a deploy. Bytes are hashed and written to a pack as they arrive; `commit` writes all rows at once.
 *
 * @throws `forbidden` before any byte is read if the account is at a cap. A deploy with a key may repeat an earlier
 *   deploy, so the cap on deployments is checked later, and a repetition is not refused for its storage. Caps are also
 *   checked later if the deploy may delete old versions of a domain.
 *   Options are checked as they arrive: a domain that would be refused ends the upload. Source: api §3; storage §3.
 */
export function beginDeploy(scope: Scope<Caller>, key: IdempotencyKey | null): Promise<Deploy> {
  return startDeploy(scope, key, collectFiles, { hasChecksums: true });
}

/**
 * Starts a deploy of an archive, like {@link beginDeploy}.
 *
 * @param strip Whether the one folder that contains all files is stripped. Source: api §3.
 */
export function beginArchiveDeploy(
  scope: Scope<Caller>,
  key: IdempotencyKey | null,
  strip: boolean,
): Promise<ArchiveDeploy> {
  const collect: Collect<ArchiveFiles> = (...collected) => collectArchive(...collected, strip);
  return startDeploy(scope, key, collect, { hasChecksums: false });
}

type Collect<F> = (
  pack: OpenPack,
  limits: FileLimits,
  onContent: (digest: ContentDigest) => void,
  check: () => void,
) => F;

async function startDeploy<F extends DeployFiles>(
  scope: Scope<Caller>,
  key: IdempotencyKey | null,
  collect: Collect<F>,
  { hasChecksums }: { hasChecksums: boolean },
): Promise<Deploy<F>> {
  const { core, caller } = scope;
  if (!key) await refuseFullAccount(scope);
  const storage = await trackStorage(scope, key);
  const pack = openPack(core);
  const stored = new StoredContentsQuery(core);
  const limits = fileLimitsOf(scope);
  const onContent = (content: ContentDigest) => {
    stored.add(content.sha256);
    storage.add(content);
  };
  const domainCheck = createDomainCheck(scope, key);
  const check = () => {
    storage.check();
    domainCheck.check();
  };
  const received = collect(pack, limits, onContent, check);
  const form = collectForm(limits, (option) => {
    refuseForbiddenOptions(scope, option);
    if (option.domain !== undefined) domainCheck.start(option.domain);
  });
  const endPhase = startPhases();
  return {
    files: received,
    form,
    close: () => pack.close(),
    async commit() {
      endPhase('receive');
      if (received.refusals.count > 0) await addRuleFileRefusal(core, received);
      throwRefusals(received.refusals);
      await pack.finish();
      stored.query();
      const { parts, ruleFiles, leftOut } = received;
      const checksums = hasChecksums ? form.readChecksums(parts.map(({ md5 }) => md5)) : null;
      const settings = readDeployOptions(scope, form.options);
      if (checksums) verifyChecksums(parts, checksums);
      // What follows is done while the pack is made durable. With many files, it is done in steps, between which the pack advances.
      const sealing = sealNewContents(core, pack, stored);
      sealing.catch(() => {}); // A deploy that is refused in the meantime never awaits the promise.
      const hasMany = parts.length > MANY_FILES;
      if (hasMany) await ownTurn(clientOf(caller));
      const files = publishedFiles(parts, checksums ? FILES_FIELD : 'archive');
      const newPack = await sealing;
      if (hasMany) await nextTurn();
      const publication = {
        manifest: new Manifest(files),
        options: settings,
        passwordHash: settings.password === null ? null : await hashPassword(settings.password),
        pack: newPack,
        upload: null,
        ...(await compileDeployRules(core, ruleFiles, files, leftOut)),
        idempotency: key && { ...key, fingerprint: fingerprintOf(core, [canonicalFiles(files), settings]) },
      };
      await newPack?.ready;
      endPhase('store');
      const outcome = await commitWithPack(core, pack, (em) => publish(em, scope, publication));
      endPhase('commit');
      failpoint('deploy.committed');
      core.published.emit('deployment');
      return outcome;
    },
  };
}

/**
 * Checks concurrently with the upload whether the domain of a deploy would be refused. A deploy that repeats an earlier deploy
 * is not refused. The transaction of the deploy makes the final check.
 */
function createDomainCheck(scope: Scope<Caller>, key: IdempotencyKey | null) {
  let refusal: ServiceError | null = null;
  const findRefusal = async (domain: string): Promise<void> => {
    if (key && (await hasStoredOutcome(scope.core, key))) return;
    await refuseUnavailableTarget(scope, domain);
  };
  return {
    start(domain: string): void {
      findRefusal(domain).catch((error: unknown) => {
        // The transaction of the deploy reports other errors.
        if (error instanceof ServiceError) refusal = error;
      });
    },
    /** Throws once the domain is known to be refused. */
    check(): void {
      if (refusal !== null) throw refusal;
    },
  };
}
