import { type CreatedDeployment, type DeployLimits, FILES_FIELD } from '@berth/contract';
import { type Caller, clientOf, type Scope } from '../../core.ts';
import { ownTurn } from '../../fair-turns.ts';
import { failpoint } from '../../failpoints.ts';
import { refuseAtDeploymentCap } from '../accounts/accounts.ts';
import type { ContentDigest } from '../../storage/pack-builder.ts';
import { limitsOf } from '../accounts/plans.ts';
import { StoredContentsQuery } from '../packs/contents.ts';
import { commitWithPack, openPack, type OpenPack, sealNewContents } from '../packs/open-packs.ts';
import { hashPassword } from '../sites/passwords.ts';
import { type ArchiveFiles, collectArchive } from './archive-files.ts';
import { collectFiles, type DeployFiles, verifyChecksums } from './deploy-files.ts';
import { collectForm, type DeployForm } from './deploy-form.ts';
import { trackStorage } from './deploy-storage.ts';
import { publishedFiles } from './file-rules.ts';
import { canonicalFiles, fingerprintOf, type IdempotencyKey } from './idempotency.ts';
import { publish } from './publish.ts';
import { compileDeployRules } from './rule-files.ts';

/** The number of files above which a deploy waits for a turn of its own before its files are checked. */
const MANY_FILES = 1_000;

/** A deploy that is being received. Its owner must always call `close`. */
export interface Deploy<Files = Pick<DeployFiles, 'begin'>> {
  files: Files;
  form: Pick<DeployForm, 'add' | 'readOptions'>;
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
 *   deploy, so the cap on deployments is checked later, and a repetition is not refused for its storage.
 *   Source: api §3; storage §3.
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
  limits: DeployLimits,
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
  if (!key) await refuseAtDeploymentCap(scope);
  const storage = await trackStorage(scope, key);
  const pack = openPack(core);
  const stored = new StoredContentsQuery(core);
  const limits = limitsOf(scope);
  const onContent = (content: ContentDigest) => {
    stored.add(content.sha256);
    storage.add(content);
  };
  const received = collect(pack, limits, onContent, storage.check);
  const form = collectForm(limits);
  return {
    files: received,
    form,
    close: () => pack.close(),
    async commit() {
      const checksums = hasChecksums ? form.readChecksums() : null;
      const options = form.readOptions(caller);
      await pack.finish();
      const { parts, ruleFiles, leftOut } = received;
      if (parts.length > MANY_FILES) await ownTurn(clientOf(caller));
      if (checksums) verifyChecksums(parts, checksums);
      const published = publishedFiles(parts, checksums ? FILES_FIELD : 'archive');
      const files = published.map(({ path, sha256, size }) => ({ path, sha256, size }));
      const publication = {
        files,
        options,
        passwordHash: options.password === null ? null : await hashPassword(options.password),
        pack: await sealNewContents(pack, stored),
        reserved: false,
        ...compileDeployRules(ruleFiles, files, leftOut),
        idempotency: key && { ...key, fingerprint: fingerprintOf(core, [canonicalFiles(files), options]) },
      };
      const outcome = await commitWithPack(core, pack, (em) => publish(em, scope, publication));
      failpoint('deploy.committed');
      return outcome;
    },
  };
}
