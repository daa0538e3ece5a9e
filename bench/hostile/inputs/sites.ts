import { hash, randomBytes } from 'node:crypto';
import { CALL_PACE, type Input, repeatedInput, VISIT_PACE } from '../input.ts';
import type { Client, World } from '../world.ts';

const form = (body: string) => ({
  path: '/.berth/unlock',
  headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  body: Buffer.from(body),
});

/** Publishes a site with 500 patterns that are expensive to reject for every path. */
async function publishSlowRules({ apiKey, port }: World, client: Client) {
  const rules = Array.from({ length: 500 }, (_, n) => `/${'a/'.repeat(25)}${n}/* /page/${n} 200`).join('\n');
  const body = new FormData();
  body.append('files[]', new Blob([rules]), '_redirects');
  body.append('checksums', JSON.stringify([hash('md5', rules)]));
  const headers = { Authorization: `Bearer ${apiKey}` };
  const res = await fetch(`http://localhost:${port}/deployments`, { method: 'POST', headers, body });
  const { url } = (await res.json()) as { url: string };
  const { host } = new URL(url);
  return () => client.send({ path: `/${'a/'.repeat(500)}`, host });
}

/** Hostile visits, unlock forms and claims. */
export const SITE_INPUTS: readonly Input[] = [
  repeatedInput(
    'unlock',
    'a wrong password at a protected site',
    ({ lockedSite }) => ({
      ...form('password=wrong-password'),
      host: lockedSite,
    }),
    CALL_PACE,
  ),
  repeatedInput(
    'unlock',
    'an unlock form of 8 KB of names',
    ({ lockedSite }) => ({ ...form('a&'.repeat(4_000)), host: lockedSite }),
    CALL_PACE,
  ),
  repeatedInput(
    'unlock',
    'an unlock form of 1 MiB',
    ({ lockedSite }) => ({ ...form(`password=${'a'.repeat(1024 ** 2)}`), host: lockedSite }),
    CALL_PACE,
  ),
  repeatedInput('claim', 'claims that do not exist, API key', ({ apiKey }) => ({
    path: '/account/claim',
    key: apiKey,
    body: JSON.stringify({ claim: '0'.repeat(32) }),
  })),
  {
    id: 'visits',
    label: 'requests for many sites that do not exist',
    pace: VISIT_PACE,
    prepare:
      ({ port }, client) =>
      () =>
        client.send({ path: '/', host: `calm-otter-${randomBytes(4).toString('hex').slice(0, 7)}.localhost:${port}` }),
  },
  { id: 'rules', label: 'a path of 1 KB that almost matches 500 rules', pace: VISIT_PACE, prepare: publishSlowRules },
];
