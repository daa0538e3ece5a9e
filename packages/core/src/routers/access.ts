/**
 * The actors that may call each operation. An operation without a row cannot be called at all.
 *
 * API keys and deploy tokens of suspended and terminated accounts are refused before this table is read, and sessions except for
 * {@link INACTIVE_OPERATIONS}. {@link FOREIGN_RESOURCE_ACCESS} defines what an API key can do with resources of another account. Source: api §5; security T21.
 */
export const OPERATION_ACCESS = {
  'deployments.create': ['anonymous', 'deploy', 'api'],
  'deployments.begin': ['anonymous', 'deploy', 'session', 'api'],
  'deployments.contents': ['anonymous', 'deploy', 'session', 'api'],
  'deployments.commit': ['anonymous', 'deploy', 'session', 'api'],
  'deployments.abort': ['anonymous', 'deploy', 'session', 'api'],
  'deployments.list': ['session', 'api'],
  'deployments.get': ['session', 'api'],
  'deployments.files': ['session', 'api'],
  'deployments.changes': ['session', 'api'],
  'deployments.archive': ['session', 'api'],
  'deployments.update': ['session', 'api'],
  'deployments.delete': ['session', 'api'],
  'devices.find': ['session'],
  'devices.approve': ['session'],
  'devices.deny': ['session'],
  'domains.put': ['session', 'api'],
  'domains.list': ['session', 'api'],
  'domains.get': ['deploy', 'session', 'api'],
  'domains.versions': ['deploy', 'session', 'api'],
  'domains.delete': ['session', 'api'],
  'domains.validate': ['session', 'api'],
  'domains.validateNamed': ['session', 'api'],
  'domains.verify': ['session', 'api'],
  'domains.dns': ['session', 'api'],
  'domains.records': ['session', 'api'],
  'domains.share': ['session', 'api'],
  'account.get': ['session', 'api'],
  'account.claim': ['session', 'api'],
  'account.claimed': ['anonymous', 'session'],
  'account.update': ['session', 'api'],
  'account.delete': ['session', 'api'],
  'activities.list': ['session', 'api'],
  'activities.watch': ['session', 'api'],
  'invites.create': ['session', 'api'],
  'invites.find': ['anonymous', 'session'],
  'invites.accept': ['anonymous', 'session'],
  'invites.list': ['session', 'api'],
  'invites.delete': ['session', 'api'],
  'labels.list': ['session', 'api'],
  'members.list': ['session', 'api'],
  'members.delete': ['session', 'api'],
  'sites.list': ['session', 'api'],
  'sites.get': ['session', 'api'],
  'sites.delete': ['session', 'api'],
  'tokens.create': ['session', 'api'],
  'tokens.list': ['session', 'api'],
  'tokens.get': ['session', 'api'],
  'tokens.delete': ['session', 'api'],
  'plans.list': ['anonymous', 'deploy', 'session', 'api'],
  'platform.limits': ['deploy', 'session', 'api'],
  'platform.config': ['anonymous', 'deploy', 'session', 'api'],
  'platform.ping': ['deploy', 'session', 'api'],
  'session.get': ['anonymous', 'session'],
  'session.prove': ['session'],
  'session.choose': ['session'],
  'session.end': ['anonymous', 'session'],
  'sessions.list': ['session'],
  'sessions.delete': ['session'],
  'sessions.deleteOthers': ['session'],
  'signIn.readLink': ['anonymous', 'session'],
  'signIn.useLink': ['anonymous', 'session'],
  'signIn.password': ['anonymous', 'session'],
  'signIn.beginPasskey': ['anonymous', 'session'],
  'signIn.passkey': ['anonymous', 'session'],
  'signIn.requestCode': ['anonymous', 'session'],
  'signIn.code': ['anonymous', 'session'],
  'passkeys.list': ['session'],
  'passkeys.begin': ['session'],
  'passkeys.create': ['session'],
  'passkeys.delete': ['session'],
  'person.setPassword': ['session'],
  'person.rename': ['session'],
  'person.requestEmail': ['session'],
  'person.changeEmail': ['session'],
  'identities.list': ['session'],
  'identities.begin': ['session'],
  'identities.delete': ['session'],
} as const satisfies Record<string, readonly Actor[]>;

/** The kinds of callers: without a credential, with a deploy token, a person who is signed in, with an API key. */
export type Actor = 'anonymous' | 'deploy' | 'session' | 'api';

/** The name of an operation in {@link OPERATION_ACCESS}. */
export type Operation = keyof typeof OPERATION_ACCESS;

/**
 * The operations that a person who is signed in may call while the account is suspended or terminated: to see why, to use another
 * account, to sign in as someone else, and to sign out. Source: api §13.
 */
const INACTIVE_OPERATIONS: ReadonlySet<string> = new Set<Operation>([
  'session.get',
  'session.choose',
  'session.end',
  'signIn.readLink',
  'signIn.useLink',
  'signIn.password',
  'signIn.beginPasskey',
  'signIn.passkey',
  'signIn.requestCode',
  'signIn.code',
]);

/** Whether a person can call an operation only while the account is active. */
export function needsActiveAccount(operation: string): boolean {
  return !INACTIVE_OPERATIONS.has(operation);
}

/**
 * The operations for which a person who is signed in must have proved recently who they are, so that someone at an unlocked
 * computer cannot take over the account. Source: api §13; security T46.
 */
const PROVEN_OPERATIONS: ReadonlySet<string> = new Set<Operation>([
  'account.delete',
  'devices.approve',
  'identities.begin',
  'identities.delete',
  'invites.create',
  'members.delete',
  'passkeys.begin',
  'passkeys.create',
  'passkeys.delete',
  'person.requestEmail',
  'person.setPassword',
  'sessions.deleteOthers',
  'tokens.create',
  'tokens.delete',
]);

/** Whether a person must have proved recently who they are. */
export function needsProof(operation: string): boolean {
  return PROVEN_OPERATIONS.has(operation);
}

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
  'account.claimed': 'not_found',
  'account.delete': 'not_found',
  'identities.delete': 'not_found',
  'passkeys.delete': 'not_found',
  'session.choose': 'not_found',
  'sessions.delete': 'not_found',
  'invites.delete': 'not_found',
  'members.delete': 'not_found',
  'sites.get': 'not_found',
  'sites.delete': 'not_found',
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
