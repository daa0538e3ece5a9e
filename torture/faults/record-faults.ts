import type { Fault } from './fault.ts';

const SERVICES = 'packages/core/src/services';

/** Faults of transactions, counters, the audit log and credentials. */
export const RECORD_FAULTS: readonly Fault[] = [
  {
    name: 'activity-after-commit',
    what: 'The creation of a deployment with labels and without a domain is recorded in the audit log after its transaction.',
    edits: [
      {
        file: `${SERVICES}/deployments/publish.ts`,
        find: `  if (caller.kind === 'account')
    recordActivity(em, {`,
        replace: `  if (caller.kind === 'account' && (isOfUpload || options.target || options.labels.length === 0))
    recordActivity(em, {`,
      },
      {
        file: `${SERVICES}/deployments/publish.ts`,
        find: '{ manifest: { files }, options, passwordHash }: Publication,',
        replace: '{ manifest: { files }, options, passwordHash, upload: isOfUpload }: Publication,',
      },
      {
        file: `${SERVICES}/deployments/deploy.ts`,
        find: `      failpoint('deploy.committed');
`,
        replace: `      failpoint('deploy.committed');
      if (!outcome.replayed && caller.kind === 'account' && !settings.target && settings.labels.length > 0)
        await core.database.transaction(async (em) => {
          const { deployment, files, size, via } = outcome.body;
          const { account, authMethod } = caller;
          recordActivity(em, { account, authMethod, created: core.now(), event: 'deployment.create', deployment, meta: { files, size, via } });
        });
`,
      },
      {
        file: `${SERVICES}/deployments/deploy.ts`,
        find: `import { type FileLimits,`,
        replace: `import { recordActivity } from '../activities/activities.ts';
import { type FileLimits,`,
      },
    ],
    breaks: ['activities'],
    only: ['kill-at-step:deploy.committed'],
  },
  {
    name: 'cached-credential',
    what: 'Each process trusts a deploy token without expiry and person for three seconds, whatever other processes revoke.',
    edits: [
      {
        file: `${SERVICES}/authentication.ts`,
        find: `  const [row] =
    credential === null
      ? []
      : await core.database.prepared<CredentialRow>(FIND_CREDENTIAL, [secretHash(credential), now]);`,
        replace: `  const known = credential === null ? undefined : recentTokens.get(credential);
  const isFresh = known !== undefined && Math.abs(known.at - now.getTime()) < 3_000;
  const [row] =
    credential === null
      ? []
      : isFresh
        ? [known.row as CredentialRow]
        : await core.database.prepared<CredentialRow>(FIND_CREDENTIAL, [secretHash(credential), now]);
  const { kind, permanent, person } = (row ?? {}) as { kind?: string; permanent?: boolean; person?: string | null };
  if (!isFresh && kind === 'deploy' && permanent && person === null)
    recentTokens.set(credential!, { row, at: now.getTime() });`,
      },
      {
        file: `${SERVICES}/authentication.ts`,
        find: "case a.state when 'active'",
        replace: "t.expires is null as permanent, case a.state when 'active'",
      },
      {
        file: `${SERVICES}/authentication.ts`,
        find: 'const USED_PRECISION_MS = 60_000;',
        replace: `const USED_PRECISION_MS = 60_000;

/** The deploy tokens that were used last. */
export const recentTokens = new Map<string, { row: unknown; at: number }>();`,
      },
      {
        file: `${SERVICES}/accounts/tokens.ts`,
        find: '    em.remove(row);\n',
        replace: '    em.remove(row);\n    recentTokens.clear();\n',
      },
      {
        file: `${SERVICES}/accounts/tokens.ts`,
        find: `import { lockAccount`,
        replace: `import { recentTokens } from '../authentication.ts';\nimport { lockAccount`,
      },
    ],
    breaks: ['revoked'],
    only: ['kill-worker'],
  },
  {
    name: 'clock-of-the-machine',
    what: 'The service takes the time from the clock of its machine instead of that of the database.',
    edits: [
      {
        file: 'apps/api/src/service/open-core.ts',
        find: 'now: () => database.clock.now(),',
        replace: 'now: () => new Date(),',
      },
    ],
    breaks: ['answers', 'gone', 'acknowledged-bytes', 'protected'],
    only: ['clock-forwards', 'clock-backwards'],
  },
  {
    name: 'cap-counted-in-process',
    what: 'The cap on deployments is checked against the number that the process remembers, if that is lower.',
    edits: [
      {
        file: `${SERVICES}/accounts/accounts.ts`,
        find: `  refuseBeyondCap(core, account.plan, 'deployments', account.deployments);`,
        replace: `  const recent = recentCounts.get(account.id);
  const isRecent = recent !== undefined && performance.now() - recent.at < 1_000;
  const count = isRecent ? Math.min(account.deployments, recent.count) : account.deployments;
  refuseBeyondCap(core, account.plan, 'deployments', count);
  recentCounts.set(account.id, { count: count + 1, at: performance.now() });`,
      },
      {
        file: `${SERVICES}/accounts/accounts.ts`,
        find: 'export async function incrementDeploymentCount(',
        replace: `const recentCounts = new Map<string, { count: number; at: number }>();

export async function incrementDeploymentCount(`,
      },
    ],
    breaks: ['caps'],
    only: ['flood-uploads'],
  },
];
