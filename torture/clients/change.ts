import type { CreatedDeployment, Deployment } from '@berth/contract';
import { makeFiles } from './content.ts';
import { definite, ofAcknowledged, type Wire } from './exchange.ts';
import { type Client, keepRevoked, markDeleted, markShown, type Order, pick, type Site } from './oracle.ts';
import { publish } from './publish.ts';

const API = 'localhost';

/** Deletes a site that the domain does not show. */
export async function remove(wire: Wire, client: Client, site: Site): Promise<void> {
  const request = () => ({ host: API, method: 'DELETE', path: `/deployments/${site.id}`, key: client.key });
  // 404 means that an earlier attempt deleted the site, and the sweep has already removed it.
  await definite(wire, `delete ${site.id}`, request, [202, 404]);
  if (site.expires === null) client.changes.push({ event: 'deployment.delete', deployment: site.id });
  markDeleted(client, site);
}

/** Switches the domain to another site. */
export async function switchDomain(wire: Wire, client: Client, site: Site): Promise<void> {
  const request = () => ({
    host: API,
    method: 'PUT',
    path: `/domains/${client.domain}`,
    key: client.key,
    json: { deployment: site.id },
  });
  const before = client.domainUncertain;
  client.domainUncertain = true;
  const { doubtful } = await definite(
    wire,
    `switch ${client.domain} to ${site.id}`,
    request,
    [200, 201],
    ofAcknowledged,
  );
  client.domainUncertain = before || doubtful;
  markShown(client, site);
  wire.tally.domainChanges += 1;
}

/** Sets, replaces or removes the password of a site. */
export async function setPassword(wire: Wire, client: Client, site: Site, password: string | null): Promise<void> {
  const request = () => ({
    host: API,
    method: 'PATCH',
    path: `/deployments/${site.id}`,
    key: client.key,
    json: { password },
  });
  const before = site.uncertain;
  site.uncertain = true;
  const { response, doubtful } = await definite(wire, `password of ${site.id}`, request, [200], ofAcknowledged);
  site.uncertain = before || doubtful;
  site.oldPassword = site.password;
  site.password = password;
  site.cookie = null;
  site.changedAt = performance.now();
  const shown = response.json<Deployment>().password;
  wire.violations.require(
    shown === (password !== null),
    'protected',
    () => `${site.id} has password: ${shown} after the change`,
  );
}

/** Sends the intended state again, for changes whose lost requests may have been executed late. */
export async function reassert(wire: Wire, client: Client): Promise<void> {
  if (client.domainUncertain && client.shown) {
    client.domainUncertain = false;
    await switchDomain(wire, client, client.shown);
  }
  for (const site of client.sites.filter(({ uncertain }) => uncertain)) {
    site.uncertain = false;
    const { oldPassword } = site;
    await setPassword(wire, client, site, site.password);
    site.oldPassword = oldPassword;
  }
}

/** Creates a deploy token, deploys with it, revokes it, and checks that every worker refuses it at once. */
export async function useToken(wire: Wire, client: Client, order: (secret: string) => Order): Promise<void> {
  const create = () => ({ host: API, method: 'POST', path: '/tokens', key: client.key, json: { kind: 'deploy' } });
  const created = (await definite(wire, 'create a token', create, [201])).response;
  const { token, secret } = created.json<{ token: string; secret: string }>();
  await publish(wire, client, order(secret));
  const limits = () => ({ host: API, path: '/limits', key: secret });
  for (let i = 0; i < 4; i += 1) await definite(wire, 'limits with a token', limits, [200]);
  const revoke = () => ({ host: API, method: 'DELETE', path: `/tokens/${token}`, key: client.key });
  await definite(wire, `revoke ${token}`, revoke, [200, 404]);
  client.changes.push({ event: 'token.delete', token });
  await checkRevoked(wire, secret);
  keepRevoked(client, secret);
}

/**
 * Checks that a revoked credential is refused by every node that responds, several times, because each worker must refuse it. A
 * node that is being restarted is skipped.
 */
export async function checkRevoked({ nodes, tally, violations }: Wire, secret: string): Promise<void> {
  for (let i = 0; i < 4; i += 1)
    for (const node of nodes) {
      tally.requests += 1;
      const response = await node({ host: API, path: '/limits', key: secret }).catch(() => null);
      if (response === null || response.status === 503) continue;
      violations.require(response.status === 401, 'revoked', () => `a revoked token returned ${response.status}`);
    }
}

/** Publishes anonymously, and lets two accounts claim the deployment at once. Exactly one must get it. */
export async function claimInTwoAccounts(wire: Wire, client: Client, other: Client, order: Order): Promise<void> {
  const site = await publish(wire, client, order);
  const { claim } = JSON.parse(order.body!) as CreatedDeployment;
  const claimAs = (by: Client) => () => ({
    host: API,
    method: 'POST',
    path: '/account/claim',
    key: by.key,
    json: { claim },
  });
  const claimers = [client, other];
  const outcomes = await Promise.all(
    claimers.map((by) => definite(wire, `claim ${site.id} by ${by.name}`, claimAs(by), [200, 404], 'claims')),
  );
  const winners = claimers.filter((_, i) => outcomes[i]!.response.status === 200);
  const isOne = winners.length === 1;
  wire.violations.require(isOne, 'claims', () => `${winners.length} accounts have claimed ${site.id}`);
  for (const winner of winners.slice(0, 1)) {
    winner.sites.push(site);
    winner.changes.push({ event: 'deployment.claim', deployment: site.id });
  }
}

/** Makes an order with a random kind and random options. */
export function newOrder(client: Client, options: Partial<Order> = {}): Order {
  const { random } = client;
  client.lastNumber += 1;
  const marker = `t-${client.name}-${client.lastNumber}`;
  const kind = pick(random, ['form', 'form', 'tar', 'gzip', 'zip', 'delta'] as const)!;
  return {
    marker,
    kind,
    files: makeFiles(marker, random),
    key: `key-${marker}`,
    credential: client.key,
    password: null,
    ttl: null,
    domain: null,
    keep: null,
    spoilt: null,
    attempts: 0,
    deployment: null,
    body: null,
    ...options,
  };
}
