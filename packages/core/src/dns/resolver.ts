import { Resolver } from 'node:dns/promises';

/** How patient a look is. */
export interface LookOptions {
  /** Resolvers as `address` or `address:port`, an IPv6 address with a port in brackets; none for the system's. */
  servers: readonly string[];
  /** How long the first try of a question may take, in milliseconds; the next one may take twice as long. Default 1000. */
  timeoutMs?: number;
  /** How often a server is asked one question. Default 2. */
  tries?: number;
  /** How long a whole look may take, in milliseconds. Default 5000. */
  deadlineMs?: number;
}

export type QuestionType = 'A' | 'AAAA' | 'CNAME' | 'NS' | 'TXT';

/** What a question brought. `none` is an answer: there is no such record. `failed` says nothing about it. */
export type Answer =
  | { kind: 'found'; values: string[]; /** How many records were left unread. */ unread: number }
  | { kind: 'none'; missing: 'name' | 'record'; reason: string }
  | { kind: 'failed'; reason: string };

/** Several questions under one deadline. */
export interface Look {
  /** Asks one question. Never throws. A name that cannot stand in DNS is not asked for: there is nothing at it. */
  ask(type: QuestionType, name: string): Promise<Answer>;
}

const TIMEOUT_MS = 1000;
const TRIES = 2;
const DEADLINE_MS = 5000;
/** How much of one answer is read. Source: security T30. */
const MAX_RECORDS = 50;
const MAX_CHARACTERS = 16 * 1024;
/** Labels of ASCII letters, digits, hyphens and underscores: what a question may name. */
const ASKABLE = /^(?=.{1,253}$)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/i;
const LATE = 'The DNS server did not answer in time.';

/** Why there was no answer, by the code of the resolver. */
const FAILURES: Readonly<Record<string, string>> = {
  ETIMEOUT: LATE,
  ECANCELLED: LATE,
  ESERVFAIL:
    'The DNS server could not find out (SERVFAIL): the name servers of the domain may be away, or its DNSSEC broken.',
  EREFUSED: 'The DNS server refused to answer (REFUSED).',
  ENOTIMP: 'The DNS server does not know this kind of question (NOTIMP).',
  ECONNREFUSED: 'The DNS server could not be reached.',
};
const UNREADABLE = 'The answer of the DNS server could not be read.';

/**
 * Runs `work` with a look of its own: own sockets, nothing kept from other looks. At the deadline all questions that are
 * open fail, and so do later ones, so that `work` ends soon after.
 *
 * Source: security T30.
 */
export async function look<T>(options: LookOptions, work: (look: Look) => Promise<T>): Promise<T> {
  const { servers, timeoutMs = TIMEOUT_MS, tries = TRIES, deadlineMs = DEADLINE_MS } = options;
  const resolver = new Resolver({ timeout: timeoutMs, tries });
  if (servers.length > 0) resolver.setServers(servers);
  let over = false;
  const deadline = setTimeout(() => {
    over = true;
    resolver.cancel();
  }, deadlineMs);
  const ask = async (type: QuestionType, name: string): Promise<Answer> => {
    if (over) return { kind: 'failed', reason: LATE };
    if (!ASKABLE.test(name)) return { kind: 'none', missing: 'name', reason: 'This name cannot stand in DNS.' };
    try {
      return bounded(await question(resolver, type, name));
    } catch (error) {
      return toAnswer((error as NodeJS.ErrnoException).code ?? '', type);
    }
  };
  try {
    return await work({ ask });
  } finally {
    clearTimeout(deadline);
    resolver.cancel();
  }
}

async function question(resolver: Resolver, type: QuestionType, name: string): Promise<string[]> {
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

function bounded(values: string[]): Answer {
  const read: string[] = [];
  let characters = 0;
  for (const value of values) {
    characters += value.length;
    if (read.length === MAX_RECORDS || characters > MAX_CHARACTERS) break;
    read.push(value);
  }
  return { kind: 'found', values: read, unread: values.length - read.length };
}

function toAnswer(code: string, type: QuestionType): Answer {
  if (code === 'ENOTFOUND') return { kind: 'none', missing: 'name', reason: 'There is no such name.' };
  if (code === 'ENODATA')
    return { kind: 'none', missing: 'record', reason: `There is no ${type} record at this name.` };
  return { kind: 'failed', reason: FAILURES[code] ?? UNREADABLE };
}
