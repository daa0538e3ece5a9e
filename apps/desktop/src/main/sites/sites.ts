import type { Domain } from '@berth/contract';
import type { Accounts } from '../account/accounts.ts';
import type { Pauses } from '../account/known-server.ts';
import type { Emit, Handlers } from '../backend.ts';
import { readDomain, wholeName } from './domain-name.ts';
import { openFeed } from './feed.ts';

const PAUSES: Pauses = { firstMs: 1_000, longestMs: 60_000 };

interface SitesOptions {
  accounts: Accounts;
  emit: Emit;
  /** Called with each domain that a command has read. */
  onDomain(server: string, domain: Domain): void;
  /** Called when the user points a domain at a deployment, or deletes the domain (`null`). */
  onAddressChange(server: string, domain: string, deployment: string | null): void;
  /** The pauses before reconnecting to the activities. Default: from 1 second to 1 minute. */
  pauses?: Pauses | undefined;
}

/** The sites, domains and activities of the account on the current server. */
export type Sites = ReturnType<typeof createSites>;

/** Creates the handlers that list and change sites and domains of the current server. Emits each new activity of the account. */
export function createSites({ accounts, emit, onDomain, onAddressChange, pauses = PAUSES }: SitesOptions) {
  const feed = openFeed({
    accounts,
    onActivity: (activity) => emit('activity', activity),
    onConnected: () => emit('following', {}),
    pauses,
  });
  const reportDomain = <T extends Domain>(server: URL, domain: T): T => {
    onDomain(server.origin, domain);
    return domain;
  };
  const handlers = {
    labelDeployment: (input) => accounts.withClient(({ api }) => api.deployments.update.mutate(input)),
    async deleteDeployment({ deployment }) {
      await accounts.withClient(({ api }) => api.deployments.delete.mutate({ deployment }));
    },
    listDomains: ({ cursor }) => accounts.withClient(({ api }) => api.domains.list.query({ cursor })),
    putDomain: ({ domain, ...change }) =>
      accounts.withClient(async (client) => {
        const name = await wholeName(client, domain);
        const updated = await client.api.domains.put.mutate({ domain: name, ...change });
        if (change.deployment !== undefined) onAddressChange(client.server.origin, updated.domain, change.deployment);
        return reportDomain(client.server, updated);
      }),
    verifyDomain: ({ domain }) =>
      accounts.withClient(async ({ api, server }) =>
        reportDomain(server, await api.domains.verify.mutate({ domain: readDomain(domain) })),
      ),
    readRecords: ({ domain }) =>
      accounts.withClient(({ api }) => api.domains.records.query({ domain: readDomain(domain) })),
    shareDomain: ({ domain }) =>
      accounts.withClient(({ api }) => api.domains.share.query({ domain: readDomain(domain) })),
    async deleteDomain({ domain }) {
      await accounts.withClient(async ({ api, server }) => {
        const name = readDomain(domain);
        await api.domains.delete.mutate({ domain: name });
        onAddressChange(server.origin, name, null);
      });
    },
    listActivities: (page) => accounts.withClient(({ api }) => api.activities.list.query(page)),
    listSites: (page) => accounts.withClient(({ api }) => api.sites.list.query(page)),
    readSite: (of) => accounts.withClient(({ api }) => api.sites.get.query(of)),
    async deleteSite({ site }) {
      await accounts.withClient(async ({ api, server }) => {
        await api.sites.delete.mutate({ site });
        onAddressChange(server.origin, site, null);
      });
    },
    readDeployment: (of) => accounts.withClient(({ api }) => api.deployments.get.query(of)),
    changeDeployment: (change) => accounts.withClient(({ api }) => api.deployments.update.mutate(change)),
    readChanges: (of) => accounts.withClient(({ api }) => api.deployments.changes.query(of)),
    listDomainVersions: (page) => accounts.withClient(({ api }) => api.domains.versions.query(page)),
    readDomain: (of) =>
      accounts.withClient(async ({ api, server }) => reportDomain(server, await api.domains.get.query(of))),
    validateDomain: ({ domain }) =>
      accounts.withClient(async (client) =>
        client.api.domains.validate.mutate({ domain: await wholeName(client, domain) }),
      ),
    readProvider: (of) => accounts.withClient(({ api }) => api.domains.dns.query(of)),
  } satisfies Partial<Handlers>;
  return { handlers, close: () => feed.close() };
}
