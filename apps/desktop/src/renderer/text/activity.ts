import type { Activity, ActivityEvent } from '@berth/contract';
import { bytes, count } from '@berth/client/amounts';

/** The kind of thing that an activity is about; selects its icon. */
export type Subject = 'account' | 'deployment' | 'domain' | 'token';

type Describe = (activity: Activity) => string;

const SENTENCES: Record<ActivityEvent, Describe> = {
  'account.create': () => 'Account created',
  'account.update': accountUpdateText,
  'account.delete': () => 'Account closed',
  'account.plan.transition': ({ meta }) =>
    `Plan changed from ${text(meta['from'], 'unknown')} to ${text(meta['to'], 'unknown')}`,
  'account.key.generate': () => 'API key created',
  'deployment.create': (activity) => `Published ${deployment(activity)}${size(activity)}`,
  'deployment.update': deploymentUpdateText,
  'deployment.delete': (activity) => `Deleted ${deployment(activity)}`,
  'deployment.claim': (activity) => `Claimed ${deployment(activity)}`,
  'deployment.expire': (activity) => `${deployment(activity)} expired`,
  'domain.create': (activity) =>
    `Added ${domain(activity)}${activity.deployment === undefined ? '' : `, pointing to ${activity.deployment}`}`,
  'domain.update': domainUpdateText,
  'domain.delete': (activity) => `Deleted ${domain(activity)}`,
  'domain.verify': (activity) => `${domain(activity)} passed its DNS check and is live`,
  'domain.pause': (activity) => `${domain(activity)} was paused: the plan no longer covers it`,
  'domain.resume': (activity) => `${domain(activity)} is live again`,
  'token.create': ({ token, meta }) => `Created ${kind(meta['kind'])} ${token ?? ''}`.trim(),
  'token.delete': ({ token, meta }) => `Revoked ${kind(meta['kind'])} ${token ?? ''}`.trim(),
};

const ACTORS: Record<Activity['authMethod'], string | null> = {
  'api-key': null,
  'deploy-token': 'deploy token',
  operator: 'operator',
  system: 'system',
};

/** Describes an activity in a sentence. */
export function activityText(activity: Activity): string {
  // An activity that names no deployment or domain is about “a deployment” or “a domain”.
  return SENTENCES[activity.event](activity).replace(/^a /, 'A ');
}

/** Names who did it; `null` for the account itself. */
export function actorText({ authMethod }: Activity): string | null {
  return ACTORS[authMethod];
}

export function subjectOf({ event }: Activity): Subject {
  return event.split('.', 1)[0] as Subject;
}

function accountUpdateText({ meta }: Activity): string {
  const state = meta['state'];
  if (typeof state === 'object' && state !== null && 'to' in state)
    return `Account is now ${text(state.to, 'changed')}`;
  return 'Account changed';
}

function deploymentUpdateText(activity: Activity): string {
  const { takenDown, labels } = activity.meta;
  if (takenDown === true) return `${deployment(activity)} was taken down`;
  if (takenDown === false) return `${deployment(activity)} was restored`;
  return Array.isArray(labels) && labels.length === 0
    ? `Cleared the labels of ${deployment(activity)}`
    : `Changed the labels of ${deployment(activity)}${Array.isArray(labels) ? ` to ${labels.join(', ')}` : ''}`;
}

function domainUpdateText(activity: Activity): string {
  if (activity.deployment !== undefined) return `${domain(activity)} now points to ${activity.deployment}`;
  if (activity.meta['status'] !== undefined) return `${domain(activity)} lost its DNS records and is offline`;
  return `Changed ${domain(activity)}`;
}

function deployment({ deployment }: Activity): string {
  return deployment ?? 'a deployment';
}

function domain({ domain }: Activity): string {
  return domain ?? 'a domain';
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
