import { LRUCache } from 'lru-cache';
import type { DnsCheck } from '../entities/domain.ts';
import { checkRecord } from './checks.ts';
import { findProviderOf } from './providers.ts';
import { look, type LookOptions } from './resolver.ts';

/** A record that a domain has to have. */
export interface WantedRecord {
  type: 'A' | 'AAAA' | 'CNAME' | 'TXT';
  /** The whole name it stands at, as A-labels without a dot at the end. */
  name: string;
  values: readonly string[];
  /** `any`: one of the values suffices. `all`: each of them is needed. */
  match: 'any' | 'all';
}

/**
 * The public DNS, as far as the service looks at it. It asks resolvers alone: it opens no other connection, whatever the
 * answers name.
 *
 * Source: contract §4; security T30.
 */
export interface Dns {
  /**
   * Looks at every wanted record, in the order they are given. Never throws, and takes at most 5 s in all.
   *
   * A check that is not `ok` has a `reason`. One that is `failed` was not answered, and says nothing about the record.
   */
  check(wanted: readonly WantedRecord[]): Promise<DnsCheck[]>;
  /** The DNS provider of a registrable domain, by its NS records; `null` when it is not known or nobody answered. */
  provider(registrable: string): Promise<{ name: string } | null>;
}

/** How long a provider is remembered, in milliseconds, so that the public page does not ask for it each time. */
const PROVIDER_MS = 5 * 60 * 1000;
const PROVIDER_RETRY_MS = 15 * 1000;
const PROVIDERS_KEPT = 1000;

/** The DNS as resolvers tell it. Source: contract §4, §10; security T30. */
export function createDns(options: LookOptions): Dns {
  const providers = new LRUCache<string, Promise<{ name: string } | null>>({ max: PROVIDERS_KEPT });
  const findProvider = async (registrable: string) => {
    const answer = await look(options, ({ ask }) => ask('NS', registrable));
    if (answer.kind === 'failed') providers.set(registrable, Promise.resolve(null), { ttl: PROVIDER_RETRY_MS });
    const provider = answer.kind === 'found' ? findProviderOf(answer.values) : null;
    return provider && { name: provider.name };
  };
  return {
    check: (wanted) => look(options, (all) => Promise.all(wanted.map((record) => checkRecord(all, record)))),
    provider(registrable) {
      const known = providers.get(registrable);
      if (known) return known;
      const asked = findProvider(registrable);
      providers.set(registrable, asked, { ttl: PROVIDER_MS });
      return asked;
    },
  };
}
