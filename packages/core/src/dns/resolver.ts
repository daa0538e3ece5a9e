import { Resolver } from 'node:dns/promises';

export interface DnsOptions {
  /** Resolvers as `address`, `address:port` or `[IPv6 address]:port`. Empty means the system's resolvers. */
  servers: readonly string[];
  /** Timeout of the first try of a query, in milliseconds; the next try may take twice as long. Default: 1000. */
  timeoutMs?: number;
  /** Deadline for all queries of one check together, in milliseconds. Default: 5000. */
  deadlineMs?: number;
}

type QueryType = 'A' | 'AAAA' | 'CNAME' | 'NS' | 'TXT';

/** The outcome of a query. `none`: the record does not exist. `failed`: no resolver could say whether the record exists. */
export type DnsAnswer =
  | { kind: 'found'; values: string[]; /** The number of records that were not read. */ unread: number }
  | { kind: 'none'; missing: 'name' | 'record'; reason: string }
  | { kind: 'failed'; reason: string };

/** Sends one query. Never throws. A name that is invalid in DNS is not sent, and the outcome is `none`. */
export type DnsQuery = (type: QueryType, name: string) => Promise<DnsAnswer>;

const TRIES = 2;
/** Maximum number of records that are read from a response. Source: security T30. */
const MAX_RECORDS = 50;
/** Maximum number of characters that are read from a response. Source: security T30. */
const MAX_CHARACTERS = 16 * 1024;
/** Names that may be sent: labels of ASCII letters, digits, hyphens and underscores. */
const VALID_NAME = /^(?=.{1,253}$)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/i;
const TIMEOUT_MESSAGE = 'The DNS server did not answer in time.';

const FAILURES: Readonly<Record<string, string>> = {
  ETIMEOUT: TIMEOUT_MESSAGE,
  ECANCELLED: TIMEOUT_MESSAGE,
  ESERVFAIL:
    'The DNS server could not resolve the name (SERVFAIL). The name servers of the domain may be down, or its DNSSEC may be invalid.',
  EREFUSED: 'The DNS server refused the query (REFUSED).',
  ENOTIMP: 'The DNS server does not support this type of query (NOTIMP).',
  ECONNREFUSED: 'The DNS server could not be reached.',
};

/**
 * Runs `work` with a function that sends queries. The queries of each call have separate sockets and share no state. At
 * the deadline, open and later queries fail, so `work` ends soon after. Source: security T30.
 */
export async function withResolver<T>(
  { servers, timeoutMs = 1000, deadlineMs = 5000 }: DnsOptions,
  work: (query: DnsQuery) => Promise<T>,
): Promise<T> {
  const resolver = new Resolver({ timeout: timeoutMs, tries: TRIES });
  if (servers.length > 0) resolver.setServers(servers);
  let isOver = false;
  const deadline = setTimeout(() => {
    isOver = true;
    resolver.cancel();
  }, deadlineMs);
  const query: DnsQuery = async (type, name) => {
    if (isOver) return { kind: 'failed', reason: TIMEOUT_MESSAGE };
    if (!VALID_NAME.test(name)) return { kind: 'none', missing: 'name', reason: 'This is not a valid DNS name.' };
    try {
      const values = (await resolver.resolve(name, type)) as (string | string[])[];
      return toFoundAnswer(values.map((value) => (typeof value === 'string' ? value : value.join(''))));
    } catch (error) {
      return toMissingAnswer((error as NodeJS.ErrnoException).code ?? '', type);
    }
  };
  try {
    return await work(query);
  } finally {
    clearTimeout(deadline);
    resolver.cancel();
  }
}

function toFoundAnswer(values: string[]): DnsAnswer {
  const read: string[] = [];
  let characters = 0;
  for (const value of values) {
    characters += value.length;
    if (read.length === MAX_RECORDS || characters > MAX_CHARACTERS) break;
    read.push(value);
  }
  return { kind: 'found', values: read, unread: values.length - read.length };
}

function toMissingAnswer(code: string, type: QueryType): DnsAnswer {
  if (code === 'ENOTFOUND') return { kind: 'none', missing: 'name', reason: 'There is no such name.' };
  if (code === 'ENODATA')
    return { kind: 'none', missing: 'record', reason: `There is no ${type} record at this name.` };
  return { kind: 'failed', reason: FAILURES[code] ?? 'The response of the DNS server is invalid.' };
}
