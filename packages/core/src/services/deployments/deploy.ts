import type { CreatedDeployment } from '@berth/contract';
import type { Caller, Core } from '../../core.ts';
import { Account } from '../../entities/index.ts';
import { failpoint } from '../../failpoints.ts';
import { refuseBeyondCap } from '../accounts/caps.ts';
import { lookUpStored, type NewPack, type StoredLookup } from '../packs/contents.ts';
import { collectFiles, type DeployFiles, matchChecksums, publishedFiles } from './deploy-files.ts';
import { collectWarnings, warnOfNames } from './deploy-warnings.ts';
import { collectForm, type DeployForm } from './deploy-form.ts';
import { fingerprintOf, type IdempotencyKey } from './idempotency.ts';
import { commitWith, type OpenPack, openPack } from '../packs/open-packs.ts';
import { hashPassword } from '../sites/passwords.ts';
import { limitsOf } from '../accounts/plans.ts';
import { type Outcome, type Publication, publish } from './publish.ts';
import { compileRules } from '../../serving/rules/compile.ts';

/** One deploy on its way in. Its owner always ends it with `close`. */
export interface Deploy {
  files: Pick<DeployFiles, 'begin'>;
  form: Pick<DeployForm, 'add'>;
  /**
   * Publishes what arrived: all of it, durably, or nothing.
   *
   * @throws `validation_failed`, `forbidden`, `payload_too_large`, `business_logic_error`, `unavailable`; nothing has
   *   changed then, unless the connection broke during the commit itself: then the same key finds the outcome.
   */
  commit(): Promise<{ body: CreatedDeployment; replayed: boolean }>;
  /** Lets go of the upload. What was not committed is given up, and nothing of it remains. */
  close(): Promise<void>;
}

/**
 * Starts a deploy: bytes go into a pack as they arrive, hashed on the way; `commit` writes everything else at once.
 *
 * @throws `forbidden` when the account is full, before a byte is read; a keyed deploy may be a replay and goes on.
 * Source: contract §3; security §5.
 */
export async function beginDeploy(core: Core, caller: Caller, key: IdempotencyKey | null): Promise<Deploy> {
  if (caller.kind === 'account' && !key) {
    const account = await core.database.em().findOneOrFail(Account, { id: caller.account });
    refuseBeyondCap(core, account.plan, 'deployments', account.deploymentCount);
  }
  const pack = openPack(core);
  const stored = lookUpStored(core);
  const files = collectFiles(pack, limitsOf(core, caller), stored.add);
  const form = collectForm();
  return {
    files,
    form,
    close: () => pack.close(),
    async commit() {
      await pack.finish();
      const asked = check(files, form, caller);
      const published = asked.files.map(({ path, sha256, size }) => ({ path, sha256, size }));
      const passwordHash = asked.options.password === null ? null : await hashPassword(asked.options.password);
      const publication: Publication = {
        files: published,
        options: asked.options,
        passwordHash,
        pack: await sealNew(pack, stored),
        ...ruled(files, published),
        idempotency: key && { ...key, fingerprint: fingerprintOf(core, canonical(asked)) },
      };
      return commit(core, caller, pack, publication);
    },
  };
}

function check(files: DeployFiles, form: DeployForm, caller: Caller) {
  const { checksums, options } = form.read(caller);
  matchChecksums(files.parts, checksums);
  return { files: publishedFiles(files.parts), options };
}

/** What the rule files say, and what is worth knowing about them and the other files. Source: serving S12, S22, S23. */
function ruled({ ruleFiles }: DeployFiles, published: Publication['files']): Pick<Publication, 'rules' | 'warnings'> {
  const paths = published.map(({ path }) => path);
  const warnings = collectWarnings();
  const rules = compileRules(ruleFiles, paths, (position, message) => warnings.add({ ...position, message }));
  warnOfNames(paths, warnings);
  return { rules, warnings: warnings.list() };
}

/** The canonical manifest and parameters: what "the same request" means. Source: contract §3. */
function canonical({ files, options }: ReturnType<typeof check>): unknown {
  return [
    files.map(({ path, sha256, size }) => [path, sha256, size]).toSorted((a, b) => (a[0]! < b[0]! ? -1 : 1)),
    options,
  ];
}

/**
 * A new pack up to this size is made durable beside the transaction that enters its contents, whose locks others wait for;
 * a larger one before it.
 */
const MOST_BYTES_BESIDE = 64 * 1024 * 1024;

/** Keeps the contents nobody has stored yet, and begins to make them durable. `null` when there are none. */
async function sealNew(pack: OpenPack, lookup: StoredLookup): Promise<NewPack | null> {
  const stored = await lookup.result();
  await pack.retain((sha256) => !stored.has(sha256));
  const contents = pack.contents();
  if (contents.length === 0) return null;
  const sealed = pack.seal();
  if (contents.reduce((sum, { length }) => sum + length, 0) > MOST_BYTES_BESIDE) await sealed;
  sealed.catch(() => {}); // Whoever waits for it hears of it; a deploy that is refused meanwhile does not.
  return { id: pack.id, contents, sealed };
}

async function commit(core: Core, caller: Caller, pack: OpenPack, publication: Publication): Promise<Outcome> {
  const outcome = await commitWith(core, pack, (em) => publish(em, core, caller, publication));
  failpoint('deploy.committed');
  return outcome;
}
