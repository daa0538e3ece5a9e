import { type CreatedDeployment, FILES_FIELD } from '@berth/contract';
import type { Caller, Scope } from '../../core.ts';
import { ownTurn } from '../../fair-turns.ts';
import { failpoint } from '../../failpoints.ts';
import { refuseAtDeploymentCap } from '../accounts/accounts.ts';
import { limitsOf } from '../accounts/plans.ts';
import { StoredContentsQuery } from '../packs/contents.ts';
import { commitWithPack, openPack, sealNewContents } from '../packs/open-packs.ts';
import { hashPassword } from '../sites/passwords.ts';
import { collectFiles, type DeployFiles, verifyChecksums } from './deploy-files.ts';
import { collectForm, type DeployForm } from './deploy-form.ts';
import { trackStorage } from './deploy-storage.ts';
import { publishedFiles } from './file-rules.ts';
import { canonicalFiles, fingerprintOf, type IdempotencyKey } from './idempotency.ts';
import { publish } from './publish.ts';
import { compileDeployRules } from './rule-files.ts';

/** From here on, checking the files takes longer than a turn. */
const MANY_FILES = 1_000;

/** One deploy that is being received. Its owner must always end it with `close`. */
export interface Deploy {
  files: Pick<DeployFiles, 'begin'>;
  form: Pick<DeployForm, 'add'>;
  /**
   * Publishes everything that arrived, durably, or nothing.
   *
   * @throws `validation_failed`, `forbidden`, `payload_too_large`, `business_logic_error`, `unavailable`. Nothing has
   *   changed then, unless the connection to the database broke during the commit itself; repeating with the same key
   *   returns the outcome.
   */
  commit(): Promise<{ body: CreatedDeployment; replayed: boolean }>;
  /** Releases the upload. Anything that was not committed is removed. */
  close(): Promise<void>;
}

/**
 * Starts a deploy: bytes go into a pack as they arrive and are hashed on the way; `commit` writes everything else at
 * once.
 *
 * @throws `forbidden` if the account is full, before any byte is read. A deploy with a key may be a replay, so it is
 *   refused here only for storage, and only if it is not a replay.
 * Source: api §3; storage §3.
 */
export async function beginDeploy(scope: Scope<Caller>, key: IdempotencyKey | null): Promise<Deploy> {
  const { core, caller } = scope;
  if (!key) await refuseAtDeploymentCap(core, caller);
  const storage = await trackStorage(scope, key);
  const pack = openPack(core);
  const stored = new StoredContentsQuery(core);
  const limits = limitsOf(core, caller);
  const onContent: Parameters<typeof collectFiles>[2] = (content) => {
    stored.add(content.sha256);
    storage.add(content);
  };
  const received = collectFiles(pack, limits, onContent, storage.check);
  const form = collectForm(limits);
  return {
    files: received,
    form,
    close: () => pack.close(),
    async commit() {
      const { checksums, options } = form.read(caller);
      await pack.finish();
      if (received.parts.length > MANY_FILES) await ownTurn();
      verifyChecksums(received.parts, checksums);
      const published = publishedFiles(received.parts, FILES_FIELD);
      const files = published.map(({ path, sha256, size }) => ({ path, sha256, size }));
      const publication = {
        files,
        options,
        passwordHash: options.password === null ? null : await hashPassword(options.password),
        pack: await sealNewContents(pack, stored),
        reserved: false,
        ...compileDeployRules(received.ruleFiles, files),
        idempotency: key && { ...key, fingerprint: fingerprintOf(core, [canonicalFiles(files), options]) },
      };
      const outcome = await commitWithPack(core, pack, (em) => publish(em, scope, publication));
      failpoint('deploy.committed');
      return outcome;
    },
  };
}
