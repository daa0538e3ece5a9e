import { type CreatedDeployment, FILES_FIELD } from '@berth/contract';
import type { Caller, Core } from '../../core.ts';
import { ownTurn } from '../../fair-turns.ts';
import { failpoint } from '../../failpoints.ts';
import { refuseAtDeploymentCap } from '../accounts/accounts.ts';
import { findStoredContents } from '../packs/contents.ts';
import { collectFiles, type DeployFiles, verifyChecksums } from './deploy-files.ts';
import { collectForm, type DeployForm } from './deploy-form.ts';
import { publishedFiles } from './file-rules.ts';
import { fingerprintOf, type IdempotencyKey } from './idempotency.ts';
import { commitWithPack, type OpenPack, openPack } from '../packs/open-packs.ts';
import { sealNewContents } from '../packs/seal-new.ts';
import { hashPassword } from '../sites/passwords.ts';
import { limitsOf } from '../accounts/plans.ts';
import { type PublishOutcome, type Publication, publish } from './publish.ts';
import { compileDeployRules } from './deploy-warnings.ts';
import { trackStorage } from './storage-tracker.ts';

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
export async function beginDeploy(core: Core, caller: Caller, key: IdempotencyKey | null): Promise<Deploy> {
  if (!key) await refuseAtDeploymentCap(core, caller);
  const storage = await trackStorage(core, caller, key);
  const pack = openPack(core);
  const stored = findStoredContents(core);
  const limits = limitsOf(core, caller);
  const files = collectFiles(
    pack,
    limits,
    (content) => {
      stored.add(content.sha256);
      storage.add(content);
    },
    storage.check,
  );
  const form = collectForm(limits);
  return {
    files,
    form,
    close: () => pack.close(),
    async commit() {
      const fields = form.read(caller);
      await pack.finish();
      if (files.parts.length > MANY_FILES) await ownTurn();
      const request = check(files, fields);
      const published = request.files.map(({ path, sha256, size }) => ({ path, sha256, size }));
      const passwordHash = request.options.password === null ? null : await hashPassword(request.options.password);
      const publication: Publication = {
        files: published,
        options: request.options,
        passwordHash,
        pack: await sealNewContents(pack, stored),
        reserved: false,
        ...compileDeployRules(files.ruleFiles, published),
        idempotency: key && { ...key, fingerprint: fingerprintOf(core, canonical(request)) },
      };
      return commit(core, caller, pack, publication);
    },
  };
}

function check(files: DeployFiles, { checksums, options }: ReturnType<DeployForm['read']>) {
  verifyChecksums(files.parts, checksums);
  return { files: publishedFiles(files.parts, FILES_FIELD), options };
}

/** The canonical manifest and parameters, which define "the same request". Source: api §3. */
function canonical({ files, options }: ReturnType<typeof check>): unknown {
  return [
    files.map(({ path, sha256, size }) => [path, sha256, size]).toSorted((a, b) => (a[0]! < b[0]! ? -1 : 1)),
    options,
  ];
}

async function commit(core: Core, caller: Caller, pack: OpenPack, publication: Publication): Promise<PublishOutcome> {
  const outcome = await commitWithPack(core, pack, (em) => publish(em, core, caller, publication));
  failpoint('deploy.committed');
  return outcome;
}
