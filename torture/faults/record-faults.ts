import type { Fault } from './fault.ts';

const SERVICES = 'packages/core/src/services';

/** Faults of transactions, counters, the audit log and credentials. */
export const RECORD_FAULTS: readonly Fault[] = [
  {
    name: 'outcome-in-own-transaction',
    what: 'The outcome of an Idempotency-Key is stored in a transaction of its own.',
    edits: [
      {
        file: `${SERVICES}/deployments/publish.ts`,
        find: '  if (idempotency) storeOutcome(em, core, idempotency, body);',
        replace:
          '  if (idempotency) await core.database.transaction(async (own) => storeOutcome(own, core, idempotency, body));',
      },
    ],
    breaks: ['acknowledged-bytes', 'replays', 'one-deployment', 'activities', 'answers'],
    only: ['kill-at-step:deploy.rows-inserted'],
  },
  {
    name: 'activity-after-commit',
    what: 'The creation of a deployment is recorded in the audit log after its transaction.',
    edits: [
      {
        file: `${SERVICES}/deployments/publish.ts`,
        find: `  if (caller.kind === 'account')
    recordActivity(em, {`,
        replace: `  if (caller.kind === 'account' && idempotencyOfUpload)
    recordActivity(em, {`,
      },
      {
        file: `${SERVICES}/deployments/publish.ts`,
        find: '{ files, options, passwordHash }: Publication,',
        replace: '{ files, options, passwordHash, reserved: idempotencyOfUpload }: Publication,',
      },
      {
        file: `${SERVICES}/deployments/deploy.ts`,
        find: `      failpoint('deploy.committed');
`,
        replace: `      failpoint('deploy.committed');
      if (!outcome.replayed && caller.kind === 'account')
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
    name: 'claim-locked-in-memory',
    what: 'A claim locks the deployment in the memory of its process, not in the database.',
    edits: [
      {
        file: `${SERVICES}/deployments/claims.ts`,
        find: '{ claimHash }, { lockMode: LockMode.PESSIMISTIC_WRITE }',
        replace: '{ claimHash }',
      },
      {
        file: `${SERVICES}/deployments/claims.ts`,
        find: 'import { type EntityManager, LockMode }',
        replace: 'import { type EntityManager }',
      },
      {
        file: `${SERVICES}/deployments/claims.ts`,
        find: `throw notFound('claim');
    const locked = await lockActiveAccount(em, account);
    await incrementDeploymentCount(em, core, locked);
    await countAccountStorage(em, core, locked, await contentsOf(em, row.id), new Set());`,
        replace: `throw notFound('claim');
    if (claimed.has(row.id)) throw notFound('claim');
    claimed.add(row.id);
    try {
      const locked = await lockActiveAccount(em, account);
      await incrementDeploymentCount(em, core, locked);
      await countAccountStorage(em, core, locked, await contentsOf(em, row.id), new Set());
    } catch (error) {
      claimed.delete(row.id);
      throw error;
    }`,
      },
      {
        file: `${SERVICES}/deployments/claims.ts`,
        find: 'async function contentsOf(',
        replace: `/** The deployments that this process has given to an account. */
const claimed = new Set<string>();

async function contentsOf(`,
      },
    ],
    breaks: ['claims', 'counters'],
    only: ['kill-worker'],
  },
  {
    name: 'cached-credential',
    what: 'Each process trusts a deploy token for three seconds, whatever other processes revoke.',
    edits: [
      {
        file: `${SERVICES}/authentication.ts`,
        find: `  const [row] = await database.prepared<CredentialRow>('credential', FIND_CREDENTIAL, values);
  return row;`,
        replace: `  const known = recentTokens.get(credential);
  if (known && Math.abs(known.at - now().getTime()) < 3_000) return known.row;
  const [row] = await database.prepared<CredentialRow>('credential', FIND_CREDENTIAL, values);
  if (row?.kind === 'deploy' && row.domains.length === 0) recentTokens.set(credential, { row, at: now().getTime() });
  return row;`,
      },
      {
        file: `${SERVICES}/authentication.ts`,
        find: 'async function findCredential(',
        replace: `/** The deploy tokens that were used last. */
export const recentTokens = new Map<string, { row: CredentialRow; at: number }>();

async function findCredential(`,
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
    name: 'lost-counter',
    what: 'A deletion counts in a transaction of its own, after it has committed.',
    edits: [
      {
        file: `${SERVICES}/deployments/deployments.ts`,
        find: `  return scope.core.database.transaction(async (em) => {
    await lockAccount(em, scope.caller.account);
    const row = await getOwnDeployment(em, scope, reference, { lock: true });
    if (row.status === 'success') {
      await refuseWhileLinked(em, row.id, 'Domains still point at this deployment');
      row.status = 'deleting';
      await decrementDeploymentCount(em, scope.caller.account);
      recordActivity(`,
        replace: `  let isDeleted = false;
  const outcome = await scope.core.database.transaction(async (em) => {
    await lockAccount(em, scope.caller.account);
    const row = await getOwnDeployment(em, scope, reference, { lock: true });
    if (row.status === 'success') {
      await refuseWhileLinked(em, row.id, 'Domains still point at this deployment');
      row.status = 'deleting';
      isDeleted = true;
      recordActivity(`,
      },
      {
        file: `${SERVICES}/deployments/deployments.ts`,
        find: `    return { deployment: row.id, status: 'deleting' as const };
  });
}`,
        replace: `    return { deployment: row.id, status: 'deleting' as const };
  });
  if (isDeleted)
    await scope.core.database.transaction((em) => decrementDeploymentCount(em, scope.caller.account));
  return outcome;
}`,
      },
    ],
    breaks: ['counters'],
    only: ['end-database-sessions', 'kill-database-session', 'kill-database', 'kill-workers'],
    seconds: 240,
  },
  {
    name: 'clock-decides-order',
    what: 'A domain is not switched if its last switch seems to be in the future.',
    edits: [
      {
        file: `${SERVICES}/domains/put-domain.ts`,
        find: 'const isSwitched = deployment !== null && deployment.id !== previous;',
        replace:
          'const isSwitched = deployment !== null && deployment.id !== previous && !(row.linked && row.linked > core.now());',
      },
    ],
    breaks: ['domain-order', 'gone', 'answers', 'protected'],
    only: ['clock-forwards', 'clock-right'],
  },
  {
    name: 'monotonic-clock',
    what: 'The service takes the time from a clock that does not follow corrections of the wall clock.',
    edits: [
      {
        file: 'apps/api/src/service/open-core.ts',
        find: 'now: () => new Date(),',
        replace: 'now: () => new Date(performance.timeOrigin + performance.now()),',
      },
    ],
    breaks: ['gone'],
    only: ['clock-forwards'],
  },
  {
    name: 'outcome-from-the-future',
    what: 'The outcome of an Idempotency-Key is dropped if its time is in the future.',
    edits: [
      {
        file: `${SERVICES}/deployments/idempotency.ts`,
        find: 'if (record.created <= windowStart(core)) {',
        replace: 'if (record.created <= windowStart(core) || record.created > core.now()) {',
      },
    ],
    breaks: ['replays', 'one-deployment'],
    only: ['clock-forwards', 'clock-right'],
  },
  {
    name: 'cookie-from-the-future',
    what: 'An unlock cookie is refused if it seems to be made in the future.',
    edits: [
      {
        file: `${SERVICES}/sites/unlock.ts`,
        find: '    expires > now.getTime()\n',
        replace: '    expires > now.getTime() &&\n    expires <= now.getTime() + UNLOCK_SECONDS * 1000\n',
      },
    ],
    breaks: ['acknowledged-bytes'],
    only: ['clock-forwards', 'clock-right'],
    seconds: 150,
  },
  {
    name: 'clock-of-the-database',
    what: 'Sites expire by the clock of the database, which differs from the clock of the service.',
    edits: [
      {
        file: `${SERVICES}/sites/load-sites.ts`,
        find: `where d.id = $1 and d.status = 'success' and`,
        replace: `where d.id = $1 and d.status = 'success' and (d.expires is null or d.expires > now()) and`,
      },
    ],
    breaks: ['acknowledged-bytes', 'gone'],
    only: ['clock-backwards'],
  },
];
