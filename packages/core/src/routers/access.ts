/**
 * The actors that may call each operation. An operation without a row cannot be called at all.
 *
 * Credentials of suspended and terminated accounts are refused before this table is read. {@link FOREIGN_RESOURCE_ACCESS}
 * defines what an API key can do with resources of another account. Source: api §5; security T21.
 */
export const OPERATION_ACCESS = {
  'deployments.create': ['anonymous', 'deploy', 'api'],
  'deployments.begin': ['anonymous', 'deploy', 'api'],
  'deployments.contents': ['anonymous', 'deploy', 'api'],
  'deployments.commit': ['anonymous', 'deploy', 'api'],
  'deployments.abort': ['anonymous', 'deploy', 'api'],
  'deployments.list': ['api'],
  'deployments.get': ['api'],
  'deployments.files': ['api'],
  'deployments.changes': ['api'],
  'deployments.archive': ['api'],
  'deployments.update': ['api'],
  'deployments.delete': ['api'],
  'domains.put': ['api'],
  'domains.list': ['api'],
  'domains.get': ['deploy', 'api'],
  'domains.versions': ['deploy', 'api'],
  'domains.delete': ['api'],
  'domains.validate': ['api'],
  'domains.validateNamed': ['api'],
  'domains.verify': ['api'],
  'domains.dns': ['api'],
  'domains.records': ['api'],
  'domains.share': ['api'],
  'account.get': ['api'],
  'account.claim': ['api'],
  'account.update': ['api'],
  'account.delete': ['api'],
  'activities.list': ['api'],
  'activities.watch': ['api'],
  'invites.create': ['api'],
  'invites.list': ['api'],
  'invites.delete': ['api'],
  'labels.list': ['api'],
  'members.list': ['api'],
  'members.delete': ['api'],
  'sites.list': ['api'],
  'sites.get': ['api'],
  'tokens.create': ['api'],
  'tokens.list': ['api'],
  'tokens.get': ['api'],
  'tokens.delete': ['api'],
  'plans.list': ['anonymous', 'deploy', 'api'],
  'platform.limits': ['deploy', 'api'],
  'platform.config': ['anonymous', 'deploy', 'api'],
  'platform.ping': ['deploy', 'api'],
} as const satisfies Record<string, readonly Actor[]>;

/** The kinds of callers: without a credential, with a deploy token, with an API key. */
export type Actor = 'anonymous' | 'deploy' | 'api';

/** The name of an operation in {@link OPERATION_ACCESS}. */
export type Operation = keyof typeof OPERATION_ACCESS;

/**
 * How each operation that names a resource treats a resource of another account. `not_found`: it returns the 404 of a missing
 * resource, equal to the byte. `own`: it accepts every name, and changes only resources of the caller. `empty`: it returns an
 * empty list, as for a missing resource.
 *
 * The services enforce this table, because each query on account data takes the account. Source: api §2, §4; security T22.
 */
export const FOREIGN_RESOURCE_ACCESS = {
  'deployments.begin': 'not_found',
  'deployments.contents': 'not_found',
  'deployments.commit': 'not_found',
  'deployments.abort': 'not_found',
  'deployments.list': 'empty',
  'deployments.get': 'not_found',
  'deployments.files': 'not_found',
  'deployments.changes': 'not_found',
  'deployments.archive': 'not_found',
  'deployments.update': 'not_found',
  'deployments.delete': 'not_found',
  'domains.put': 'own',
  'domains.get': 'not_found',
  'domains.versions': 'not_found',
  'domains.delete': 'not_found',
  'domains.validateNamed': 'own',
  'domains.verify': 'not_found',
  'domains.dns': 'not_found',
  'domains.records': 'not_found',
  'domains.share': 'not_found',
  'account.claim': 'not_found',
  'account.delete': 'not_found',
  'invites.delete': 'not_found',
  'members.delete': 'not_found',
  'sites.get': 'not_found',
  'tokens.get': 'not_found',
  'tokens.delete': 'not_found',
} as const satisfies Partial<Record<Operation, 'not_found' | 'own' | 'empty'>>;

/** Whether the row of the operation lists the actor. Returns false for an operation without a row. */
export function mayCall(operation: string, actor: Actor): boolean {
  const row: readonly Actor[] = Object.hasOwn(OPERATION_ACCESS, operation)
    ? OPERATION_ACCESS[operation as Operation]
    : [];
  return row.includes(actor);
}
