import { Resolver } from 'node:dns/promises';

/** Which resolvers to query, and how long to wait. */
export interface DnsOptions {
  /** Resolvers as `address` or `address:port`, an IPv6 address with a port in brackets. Empty means the system's resolvers. */
  servers: readonly string[];
  /** Timeout of the first try of a query, in milliseconds; the next try may take twice as long. Default 1000. */
  timeoutMs?: number;
  /** How many times a query is sent to one server. Default 2. */
  tries?: number;
  /** Deadline for all queries of one check together, in milliseconds. Default 5000. */
  deadlineMs?: number;
}

type QueryType = 'A' | 'AAAA' | 'CNAME' | 'NS' | 'TXT';

/** The outcome of a query. `none`: the resolver answered that there is no record. `failed`: there was no usable answer, so nothing is known about the record. */
export type DnsAnswer =
  | { kind: 'found'; values: string[]; /** How many further records the answer had. */ unread: number }
  | { kind: 'none'; missing: 'name' | 'record'; reason: string }
  | { kind: 'failed'; reason: string };

/** Sends one query. Never throws. A name that is invalid in DNS is not sent and gives `none`. */
export type DnsQuery = (type: QueryType, name: string) => Promise<DnsAnswer>;

const TIMEOUT_MS = 1000;
const TRIES = 2;
const DEADLINE_MS = 5000;
/** Bounds of what is read from one answer. Source: security T30. */
const MAX_RECORDS = 50;
const MAX_CHARACTERS = 16 * 1024;
/** Names that may be sent: labels of ASCII letters, digits, hyphens and underscores. */
const VALID_NAME = /^(?=.{1,253}$)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/i;
const TIMED_OUT = 'The DNS server did not answer in time.';

/** Messages by error code of the resolver. */
const FAILURES: Readonly<Record<string, string>> = {
  ETIMEOUT: TIMED_OUT,
  ECANCELLED: TIMED_OUT,
  ESERVFAIL:
    'The DNS server could not resolve the name (SERVFAIL). The name servers of the domain may be down, or its DNSSEC may be invalid.',
  EREFUSED: 'The DNS server refused the query (REFUSED).',
  ENOTIMP: 'The DNS server does not support this type of query (NOTIMP).',
  ECONNREFUSED: 'The DNS server could not be reached.',
};
const UNREADABLE = 'The answer of the DNS server is invalid.';

/**
 * Runs `work` with queries that have separate sockets and share no state. At the deadline, open queries fail, and so do
 * later ones, so `work` ends soon after.
 *
 * Source: security T30.
 */
export async function withResolver<T>(options: DnsOptions, work: (query: DnsQuery) => Promise<T>): Promise<T> {
  const { servers, timeoutMs = TIMEOUT_MS, tries = TRIES, deadlineMs = DEADLINE_MS } = options;
  const resolver = new Resolver({ timeout: timeoutMs, tries });
  if (servers.length > 0) resolver.setServers(servers);
  let over = false;
  const deadline = setTimeout(() => {
    over = true;
    resolver.cancel();
  }, deadlineMs);
  const query: DnsQuery = async (type, name) => {
    if (over) return { kind: 'failed', reason: TIMED_OUT };
    if (!VALID_NAME.test(name)) return { kind: 'none', missing: 'name', reason: 'This is not a valid DNS name.' };
    try {
      return toFoundAnswer(await resolve(resolver, type, name));
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

async function resolve(resolver: Resolver, type: QueryType, name: string): Promise<string[]> {
  switch (type) {
    case 'A':
      return resolver.resolve4(name);
    case 'AAAA':
      return resolver.resolve6(name);
    case 'CNAME':
      return resolver.resolveCname(name);
    case 'NS':
      return resolver.resolveNs(name);
    case 'TXT':
      return (await resolver.resolveTxt(name)).map((pieces) => pieces.join(''));
    default:
      return type satisfies never;
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
  return { kind: 'failed', reason: FAILURES[code] ?? UNREADABLE };
}
