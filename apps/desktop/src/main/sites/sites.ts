import type { Domain } from '@berth/contract';
import type { Accounts } from '../account/accounts.ts';
import { withSignedInClient } from '../account/credentials.ts';
import type { Pauses } from '../account/known-server.ts';
import type { Handlers, Emit } from '../backend.ts';
import { readDomain, wholeName } from './domain-name.ts';
import { openFeed } from './feed.ts';

const PAUSES: Pauses = { firstMs: 1_000, longestMs: 60_000 };

export interface SitesOptions {
  accounts: Pick<Accounts, 'session' | 'client' | 'onChange' | 'refused'>;
  emit: Emit;
  /** Called with each domain that a command has read. Default: does nothing. */
  onDomain?: ((server: string, domain: Domain) => void) | undefined;
  /** Called when the user points a domain at a deployment, or deletes it (`null`). Default: does nothing. */
  onAddressChange?: ((server: string, domain: string, deployment: string | null) => void) | undefined;
  /** The pauses before reconnecting to the activities. Default: from 1 second to 1 minute. */
  pauses?: Pauses | undefined;
}

/** The sites, domains and activities of the account on the current server. */
export interface Sites {
  readonly handlers: Pick<
    Handlers,
    | 'listDeployments'
    | 'labelDeployment'
    | 'deleteDeployment'
    | 'listDomains'
    | 'putDomain'
    | 'verifyDomain'
    | 'readRecords'
    | 'shareDomain'
    | 'deleteDomain'
    | 'listActivities'
  >;
  close(): Promise<void>;
}

/** Creates the handlers that list and change sites and domains of the current server, and emits each new activity. */
export function createSites({
  accounts,
  emit,
  onDomain = () => {},
  onAddressChange = () => {},
  pauses = PAUSES,
}: SitesOptions): Sites {
  const feed = openFeed({
    accounts,
    onActivity: (activity) => emit('activity', activity),
    onConnected: () => emit('following', {}),
    pauses,
  });
  const withClient: <T>(work: Parameters<typeof withSignedInClient<T>>[1]) => Promise<T> = (work) =>
    withSignedInClient(accounts, work);
  const reported = <T extends Domain>(server: URL, domain: T): T => {
    onDomain(server.origin, domain);
    return domain;
  };
  return {
    handlers: {
      listDeployments: ({ cursor }) => withClient(({ api }) => api.deployments.list.query({ cursor })),
      labelDeployment: (input) => withClient(({ api }) => api.deployments.update.mutate(input)),
      async deleteDeployment({ deployment }) {
        await withClient(({ api }) => api.deployments.delete.mutate({ deployment }));
      },
      listDomains: ({ cursor }) => withClient(({ api }) => api.domains.list.query({ cursor })),
      putDomain: ({ domain, ...change }) =>
        withClient(async (client) => {
          const name = await wholeName(client, domain);
          const put = await client.api.domains.put.mutate({ domain: name, ...change });
          if (change.deployment !== undefined) onAddressChange(client.server.origin, put.domain, change.deployment);
          return reported(client.server, put);
        }),
      verifyDomain: ({ domain }) =>
        withClient(async ({ api, server }) =>
          reported(server, await api.domains.verify.mutate({ domain: readDomain(domain) })),
        ),
      readRecords: ({ domain }) => withClient(({ api }) => api.domains.records.query({ domain: readDomain(domain) })),
      shareDomain: ({ domain }) => withClient(({ api }) => api.domains.share.query({ domain: readDomain(domain) })),
      async deleteDomain({ domain }) {
        await withClient(async ({ api, server }) => {
          const gone = readDomain(domain);
          await api.domains.delete.mutate({ domain: gone });
          onAddressChange(server.origin, gone, null);
        });
      },
      listActivities: ({ cursor }) => withClient(({ api }) => api.activities.list.query({ cursor })),
    },
    close: () => feed.close(),
  };
}
