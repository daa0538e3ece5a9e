/**
 * Who may call what. The one table: procedures are closed to everybody who does not stand in their row, and a procedure
 * without a row cannot be called at all.
 *
 * `anonymous` is a request without a credential, `deploy` a deploy token, `api` an API key. A suspended or terminated
 * account stands in no row: its credentials are refused before the table is asked, whatever they are sent to. What an API
 * key may do with resources of another account is told by {@link OTHERS}.
 *
 * Source: service-api part 5; contract §5; security T21.
 */
export const ACCESS = {
  'deployments.create': ['anonymous', 'deploy', 'api'],
  'deployments.begin': ['anonymous', 'deploy', 'api'],
  'deployments.contents': ['anonymous', 'deploy', 'api'],
  'deployments.commit': ['anonymous', 'deploy', 'api'],
  'deployments.abort': ['anonymous', 'deploy', 'api'],
  'deployments.list': ['api'],
  'deployments.get': ['api'],
  'deployments.update': ['api'],
  'deployments.delete': ['api'],
  'domains.put': ['api'],
  'domains.list': ['api'],
  'domains.get': ['api'],
  'domains.delete': ['api'],
  'domains.validate': ['api'],
  'domains.validateNamed': ['api'],
  'domains.verify': ['api'],
  'domains.dns': ['api'],
  'domains.records': ['api'],
  'domains.share': ['api'],
  'account.get': ['api'],
  'account.claim': ['api'],
  'activities.list': ['api'],
  'activities.watch': ['api'],
  'labels.list': ['api'],
  'tokens.create': ['api'],
  'tokens.list': ['api'],
  'tokens.get': ['api'],
  'tokens.delete': ['api'],
  'plans.list': ['anonymous', 'deploy', 'api'],
  'platform.limits': ['deploy', 'api'],
  'platform.config': ['anonymous', 'deploy', 'api'],
  'platform.ping': ['deploy', 'api'],
} as const satisfies Record<string, readonly Actor[]>;

export type Actor = 'anonymous' | 'deploy' | 'api';

/** An operation of the table. */
export type Operation = keyof typeof ACCESS;

/**
 * What an operation that names a resource tells an API key of another account. `not_found`: there is none, to the byte what
 * a missing one is told. `own`: the name is one that anybody may ask for, and only the caller's own things can change.
 *
 * Every operation that a client names something to stands here. Services see to it: each query on account data takes the
 * account.
 *
 * Source: service-api part 5, rule 5; contract §2, §4; security T22.
 */
export const OTHERS = {
  'deployments.begin': 'not_found',
  'deployments.contents': 'not_found',
  'deployments.commit': 'not_found',
  'deployments.abort': 'not_found',
  'deployments.get': 'not_found',
  'deployments.update': 'not_found',
  'deployments.delete': 'not_found',
  'domains.put': 'own',
  'domains.get': 'not_found',
  'domains.delete': 'not_found',
  'domains.validateNamed': 'own',
  'domains.verify': 'not_found',
  'domains.dns': 'not_found',
  'domains.records': 'not_found',
  'domains.share': 'not_found',
  'account.claim': 'not_found',
  'tokens.get': 'not_found',
  'tokens.delete': 'not_found',
} as const satisfies Partial<Record<Operation, 'not_found' | 'own'>>;

/** Whether a row of the table names this actor; `false` for an operation that has no row. */
export function mayCall(operation: string, actor: Actor): boolean {
  const row: readonly Actor[] = Object.hasOwn(ACCESS, operation) ? ACCESS[operation as Operation] : [];
  return row.includes(actor);
}
