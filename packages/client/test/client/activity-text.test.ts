import type { Activity } from '@berth/contract';
import { activityText } from '../../src/activity-text.ts';
import { expect, test } from 'vitest';

const ID = 'calm-otter-4k9x2qd';

const CASES: [text: string, activity: Partial<Omit<Activity, 'event'>> & { event: string }][] = [
  [`Published ${ID}: 3 files, 25 kB`, { event: 'deployment.create', meta: { files: 3, size: 25_000 } }],
  [`${ID} was taken down: Phishing`, { event: 'deployment.update', meta: { takenDown: true, reason: 'Phishing' } }],
  [`${ID} was taken down`, { event: 'deployment.update', meta: { takenDown: true } }],
  [`${ID} was restored`, { event: 'deployment.update', meta: { takenDown: false } }],
  [`Changed the labels of ${ID} to a, b`, { event: 'deployment.update', meta: { labels: ['a', 'b'] } }],
  [`Cleared the labels of ${ID}`, { event: 'deployment.update', meta: { labels: [] } }],
  [`Set the password of ${ID}`, { event: 'deployment.update', meta: { password: true } }],
  [
    `Removed the password of ${ID}; ${ID} no longer expires`,
    { event: 'deployment.update', meta: { password: false, expires: null } },
  ],
  [`blog.localhost now points to ${ID}`, { event: 'domain.update', domain: 'blog.localhost' }],
  ['Renamed the account to Shop', { event: 'account.update', meta: { name: { from: null, to: 'Shop' } } }],
  ['Removed the name of the account', { event: 'account.update', meta: { name: { from: 'Shop', to: null } } }],
  ['Account is now suspended', { event: 'account.update', meta: { state: { from: 'active', to: 'suspended' } } }],
  [
    'ada@example.com changed their e-mail address to lovelace@example.com',
    { event: 'account.update', meta: { email: { from: 'ada@example.com', to: 'lovelace@example.com' } } },
  ],
  ['Invited grace@example.com', { event: 'account.update', meta: { invite: 'inv-1', invited: 'grace@example.com' } }],
  [
    'ada@example.com set their password',
    { event: 'account.update', meta: { email: 'ada@example.com', password: 'set' } },
  ],
  [
    'ada@example.com removed an identity at Acme',
    { event: 'account.update', meta: { email: 'ada@example.com', identity: 'removed', provider: 'Acme' } },
  ],
  ['Invited a person', { event: 'account.update', meta: { invite: 'inv-1', invited: null } }],
  ['Deleted the invitation inv-1', { event: 'account.update', meta: { invite: 'inv-1', invited: false } }],
  ['grace@example.com became a member', { event: 'member.create', meta: { email: 'grace@example.com' } }],
  ['grace@example.com is no longer a member', { event: 'member.delete', meta: { email: 'grace@example.com' } }],
  [`deployment.freeze ${ID}`, { event: 'deployment.freeze' }],
];

test.each(CASES)('activityText returns "%s"', (text, activity) => {
  const complete = { created: 0, deployment: ID, authMethod: 'api-key', meta: {}, ...activity };
  expect(activityText(complete as Activity)).toBe(text);
});
