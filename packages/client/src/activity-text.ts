// Pages import this file, so it must not load the schemas of the contract.
import type { Activity, ActivityEvent } from '@berth/contract';
import { bytes, count, moment } from './amounts.ts';

type Sentence = (activity: Activity, deployment: string, domain: string) => string;

const SENTENCES: Record<ActivityEvent, Sentence> = {
  'account.create': () => 'Account created',
  'account.update': accountUpdateText,
  'account.delete': () => 'Account closed',
  'account.plan.transition': ({ meta }) =>
    `Plan changed from ${text(meta['from'], 'unknown')} to ${text(meta['to'], 'unknown')}`,
  'account.key.generate': () => 'API key created',
  'deployment.create': (activity, deployment) => `Published ${deployment}${size(activity)}`,
  'deployment.update': deploymentUpdateText,
  'deployment.delete': (_activity, deployment) => `Deleted ${deployment}`,
  'deployment.claim': (_activity, deployment) => `Claimed ${deployment}`,
  'deployment.expire': (_activity, deployment) => `${deployment} expired`,
  'domain.create': ({ deployment }, _deployment, domain) =>
    `Added ${domain}${deployment === undefined ? '' : `, pointing to ${deployment}`}`,
  'domain.update': domainUpdateText,
  'domain.delete': (_activity, _deployment, domain) => `Deleted ${domain}`,
  'domain.verify': (_activity, _deployment, domain) => `${domain} passed its DNS check and is live`,
  'domain.pause': (_activity, _deployment, domain) => `${domain} was paused: the plan no longer covers it`,
  'domain.resume': (_activity, _deployment, domain) => `${domain} is live again`,
  'token.create': ({ token, meta }) => `Created ${kind(meta['kind'])} ${token ?? ''}`.trim(),
  'token.delete': ({ token, meta }) => `Revoked ${kind(meta['kind'])} ${token ?? ''}`.trim(),
  'session.create': ({ meta }) => `${text(meta['email'], 'Someone')} signed in`,
  'session.delete': ({ meta }) =>
    typeof meta['count'] === 'number'
      ? `${text(meta['email'], 'Someone')} signed out ${count(meta['count'], 'session')}`
      : `${text(meta['email'], 'Someone')} signed out`,
  'passkey.create': ({ meta }) =>
    `${text(meta['email'], 'Someone')} added the passkey ${text(meta['name'], 'without a name')}`,
  'passkey.delete': ({ meta }) =>
    `${text(meta['email'], 'Someone')} removed the passkey ${text(meta['name'], 'without a name')}`,
  'member.create': ({ meta }) => `${text(meta['email'], 'A person')} became a member`,
  'member.delete': ({ meta }) => `${text(meta['email'], 'A person')} is no longer a member`,
  'device.approve': ({ meta }) => `Approved the device ${text(meta['client'], 'without a name')}`,
};

/** Returns who caused an activity, by its authentication; `null` for the account itself. */
export function actorOf({ authMethod }: Activity): string | null {
  return authMethod === 'api-key' || authMethod === 'session' ? null : authMethod.replaceAll('-', ' ');
}

/** Describes an activity in a sentence. An event that this version does not know is described by its name. */
export function activityText(activity: Activity): string {
  const { event, deployment = 'a deployment', domain = 'a domain' } = activity;
  const sentence = (SENTENCES as Partial<Record<string, Sentence>>)[event];
  if (!sentence) return [event, activity.deployment, activity.domain].filter(Boolean).join(' ');
  return sentence(activity, deployment, domain).replace(/^a /, 'A ');
}

function accountUpdateText({ meta }: Activity): string {
  const { state, name, email, invite, invited, password, identity, provider } = meta;
  const person = text(meta['email'], 'Someone');
  if (password !== undefined) return `${person} ${password === 'removed' ? 'removed' : 'set'} their password`;
  if (identity !== undefined)
    return `${person} ${identity === 'removed' ? 'removed' : 'added'} an identity at ${text(provider, 'a provider')}`;
  if (typeof email === 'object' && email !== null && 'from' in email && 'to' in email)
    return `${text(email.from, 'Someone')} changed their e-mail address to ${text(email.to, 'another one')}`;
  if (invited === false) return `Deleted the invitation ${text(invite, '')}`.trim();
  if (invite !== undefined) return `Invited ${text(invited, 'a person')}`;
  if (typeof name === 'object' && name !== null && 'to' in name)
    return name.to === null
      ? 'Removed the name of the account'
      : `Renamed the account to ${text(name.to, 'another name')}`;
  if (typeof state === 'object' && state !== null && 'to' in state)
    return `Account is now ${text(state.to, 'changed')}${typeof meta['reason'] === 'string' ? `: ${meta['reason']}` : ''}`;
  return 'Account changed';
}

function deploymentUpdateText({ meta }: Activity, deployment: string): string {
  const { takenDown, reason, labels, password, expires } = meta;
  if (takenDown === true) return `${deployment} was taken down${typeof reason === 'string' ? `: ${reason}` : ''}`;
  if (takenDown === false) return `${deployment} was restored`;
  const changes: string[] = [];
  if (Array.isArray(labels))
    changes.push(
      labels.length === 0
        ? `Cleared the labels of ${deployment}`
        : `Changed the labels of ${deployment} to ${labels.join(', ')}`,
    );
  if (typeof password === 'boolean') changes.push(`${password ? 'Set' : 'Removed'} the password of ${deployment}`);
  if (typeof expires === 'number') changes.push(`${deployment} now expires at ${moment(expires)}`);
  if (expires === null) changes.push(`${deployment} no longer expires`);
  return changes.length === 0 ? `Changed ${deployment}` : changes.join('; ');
}

function domainUpdateText({ deployment, meta }: Activity, _deployment: string, domain: string): string {
  if (deployment !== undefined) return `${domain} now points to ${deployment}`;
  if (meta['status'] !== undefined) return `${domain} lost its DNS records and is offline`;
  return `Changed ${domain}`;
}

function size({ meta: { files, size } }: Activity): string {
  return typeof files === 'number' && typeof size === 'number' ? `: ${count(files, 'file')}, ${bytes(size)}` : '';
}

function kind(value: unknown): string {
  return value === 'deploy' ? 'deploy token' : 'API key';
}

function text(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise;
}
