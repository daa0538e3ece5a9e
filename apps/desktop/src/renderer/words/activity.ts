import type { Activity, ActivityEvent } from '@berth/contract';
import { bytes, count } from '@berth/client/amounts';

/** The kind of thing that an activity is about; selects its icon. */
export type Subject = 'account' | 'deployment' | 'domain' | 'token';

type Say = (activity: Activity) => string;

const SENTENCES: Record<ActivityEvent, Say> = {
  'account.create': () => 'The account was made',
  'account.update': sayAccountUpdate,
  'account.delete': () => 'The account was closed',
  'account.plan.transition': ({ meta }) =>
    `The plan went from ${text(meta['from'], 'one')} to ${text(meta['to'], 'another')}`,
  'account.key.generate': () => 'An API key was made',
  'deployment.create': (activity) => `${deployment(activity)} was published${size(activity)}`,
  'deployment.update': sayDeploymentUpdate,
  'deployment.delete': (activity) => `${deployment(activity)} was deleted`,
  'deployment.claim': (activity) => `${deployment(activity)} was claimed, and stays`,
  'deployment.expire': (activity) => `${deployment(activity)} expired`,
  'domain.create': (activity) =>
    `${domain(activity)} was added${activity.deployment === undefined ? '' : `, and shows ${activity.deployment}`}`,
  'domain.update': sayDomainUpdate,
  'domain.delete': (activity) => `${domain(activity)} was deleted`,
  'domain.verify': (activity) => `${domain(activity)} passed its DNS check, and serves`,
  'domain.pause': (activity) => `${domain(activity)} was paused: the plan no longer covers it`,
  'domain.resume': (activity) => `${domain(activity)} serves again`,
  'token.create': ({ token, meta }) => `${kind(meta['kind'])} ${token ?? ''} was made`.replace('  ', ' '),
  'token.delete': ({ token, meta }) => `${kind(meta['kind'])} ${token ?? ''} was revoked`.replace('  ', ' '),
};

const ACTORS: Record<Activity['authMethod'], string | null> = {
  'api-key': null,
  'deploy-token': 'by a deploy token',
  operator: 'by the operator',
  system: 'by the service',
};

/** Describes an activity in a sentence. */
export function activityWords(activity: Activity): string {
  return SENTENCES[activity.event](activity);
}

/** Names who did it; `null` for the account itself. */
export function actorWords({ authMethod }: Activity): string | null {
  return ACTORS[authMethod];
}

export function subjectOf({ event }: Activity): Subject {
  return event.split('.', 1)[0] as Subject;
}

function sayAccountUpdate({ meta }: Activity): string {
  const state = meta['state'];
  if (typeof state === 'object' && state !== null && 'to' in state)
    return `The account is ${text(state.to, 'changed')}`;
  return 'The account was changed';
}

function sayDeploymentUpdate(activity: Activity): string {
  const { takenDown, labels } = activity.meta;
  if (takenDown === true) return `${deployment(activity)} was taken down`;
  if (takenDown === false) return `${deployment(activity)} was put back`;
  return Array.isArray(labels) && labels.length === 0
    ? `The labels of ${deployment(activity)} were cleared`
    : `The labels of ${deployment(activity)} were changed${Array.isArray(labels) ? ` to ${labels.join(', ')}` : ''}`;
}

function sayDomainUpdate(activity: Activity): string {
  if (activity.deployment !== undefined) return `${domain(activity)} shows ${activity.deployment}`;
  if (activity.meta['status'] !== undefined) return `${domain(activity)} lost its DNS records, and is not served`;
  return `${domain(activity)} was changed`;
}

function deployment({ deployment }: Activity): string {
  return deployment ?? 'A deployment';
}

function domain({ domain }: Activity): string {
  return domain ?? 'A domain';
}

function size({ meta: { files, size } }: Activity): string {
  return typeof files === 'number' && typeof size === 'number' ? `: ${count(files, 'file')}, ${bytes(size)}` : '';
}

function kind(value: unknown): string {
  return value === 'deploy' ? 'Deploy token' : 'API key';
}

function text(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise;
}
