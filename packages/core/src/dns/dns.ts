import { LRUCache } from 'lru-cache';
import type { DnsCheck } from '../entities/domain.ts';
import { checkRecord, type WantedRecord } from './checks.ts';
import { findProviderByNameServers } from './providers.ts';
import { type DnsOptions, withResolver } from './resolver.ts';

/** Queries public DNS. Connects only to the configured resolvers. Source: api §4; security T30. */
export interface Dns {
  /**
   * Checks the wanted records and returns the results in the same order. Never throws, and takes at most 5 s in all. A
   * check that is not `ok` has a `reason`. If a check is `failed`, no resolver could say whether the record exists.
   */
  check(wanted: readonly WantedRecord[]): Promise<DnsCheck[]>;
  /** Finds the DNS provider of a registrable domain by its NS records; `null` if it is unknown or the query failed. */
  provider(registrable: string): Promise<{ name: string } | null>;
}

/** How long a provider is cached, in milliseconds, so that a visit of the public page does not always send a query. */
const PROVIDER_MS = 5 * 60 * 1000;
/** How long `null` is cached after a failed query, in milliseconds. */
const PROVIDER_RETRY_MS = 15 * 1000;
const MAX_PROVIDERS = 1000;

/** Creates a {@link Dns} that queries the given resolvers. Source: api §4, §10; security T30. */
export function createDns(options: DnsOptions): Dns {
  const providers = new LRUCache<string, Promise<{ name: string } | null>>({ max: MAX_PROVIDERS });
  const findProvider = async (registrable: string) => {
    const answer = await withResolver(options, (query) => query('NS', registrable));
    if (answer.kind === 'failed') providers.set(registrable, Promise.resolve(null), { ttl: PROVIDER_RETRY_MS });
    const provider = answer.kind === 'found' ? findProviderByNameServers(answer.values) : null;
    return provider && { name: provider.name };
  };
  return {
    check: (wanted) =>
      withResolver(options, (query) => Promise.all(wanted.map((record) => checkRecord(query, record)))),
    provider(registrable) {
      const cachedProvider = providers.get(registrable);
      if (cachedProvider) return cachedProvider;
      const foundProvider = findProvider(registrable);
      providers.set(registrable, foundProvider, { ttl: PROVIDER_MS });
      return foundProvider;
    },
  };
}
