/**
 * Who may call what. The one table: procedures are closed to everybody who does not stand in their row, and a procedure
 * without a row cannot be called at all.
 *
 * `anonymous` is a request without a credential, `deploy` a deploy token, `api` an API key. Suspended and terminated
 * accounts are refused before the table is asked.
 *
 * Source: service-api part 5; contract §5; security T21.
 */
export const ACCESS = {
  'deployments.create': ['anonymous', 'deploy', 'api'],
  'deployments.list': ['api'],
  'deployments.get': ['api'],
  'deployments.update': ['api'],
  'deployments.delete': ['api'],
  'account.get': ['api'],
  'activities.list': ['api'],
  'plans.list': ['anonymous', 'deploy', 'api'],
  'platform.limits': ['deploy', 'api'],
  'platform.config': ['anonymous', 'deploy', 'api'],
  'platform.ping': ['deploy', 'api'],
} as const satisfies Record<string, readonly Actor[]>;

export type Actor = 'anonymous' | 'deploy' | 'api';

/** An operation of the table. */
export type Operation = keyof typeof ACCESS;

/** Whether a row of the table names this actor; `false` for an operation that has no row. */
export function mayCall(operation: string, actor: Actor): boolean {
  const row: readonly Actor[] = Object.hasOwn(ACCESS, operation) ? ACCESS[operation as Operation] : [];
  return row.includes(actor);
}
