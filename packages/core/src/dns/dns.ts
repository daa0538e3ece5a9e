import { LRUCache } from 'lru-cache';
import type { DnsCheck } from '../entities/domain.ts';
import { checkRecord, type WantedRecord } from './checks.ts';
import { findProviderByNameServers } from './providers.ts';
import { type DnsOptions, withResolver } from './resolver.ts';

/**
 * The queries to public DNS that the service needs. It connects only to resolvers, whatever hosts their answers name.
 *
 * Source: api §4; security T30.
 */
export interface Dns {
  /**
   * Checks the wanted records and returns the results in the same order. Never throws, and takes at most 5 s in all.
   *
   * A check that is not `ok` has a `reason`. A `failed` check got no answer and says nothing about the record.
   */
  check(wanted: readonly WantedRecord[]): Promise<DnsCheck[]>;
  /** The DNS provider of a registrable domain, by its NS records; `null` if it is unknown or there was no answer. */
  provider(registrable: string): Promise<{ name: string } | null>;
}

/** How long a provider is cached, in milliseconds, so that the public page does not query it each time. */
const PROVIDER_MS = 5 * 60 * 1000;
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
      const known = providers.get(registrable);
      if (known) return known;
      const found = findProvider(registrable);
      providers.set(registrable, found, { ttl: PROVIDER_MS });
      return found;
    },
  };
}
