import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { CREDENTIAL, CREDENTIAL_PREFIX } from '@berth/contract';
import ipaddr from 'ipaddr.js';

/** The levels of log lines, most verbose first; `silent` writes none. */
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The formats of log lines: JSON for programs, `pretty` for people. */
const LOG_FORMATS = ['json', 'pretty'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/** Which requests are logged. Of a sample, one of `every` requests is. */
export type LoggedRequests = { which: 'off' | 'errors' | 'api' | 'all' } | { which: 'sample'; every: number };
const MAX_SAMPLED = 1_000_000;

/** Matches the host names that the server accepts: lower-case letters, digits and inner hyphens. Source: serving S3. */
const HOST_NAME = /^(?=.{1,253}$)(?:(?!-)[a-z0-9-]{1,63}(?<!-)\.)*(?!-)[a-z0-9-]{1,63}(?<!-)$/;
/** A host name has at most 253 bytes; the longest label of a site takes 64 of them, with its dot. Source: api §4. */
const PLATFORM_HOST_BYTES = 253 - 64;
/** `to-`, the 7 characters of an account and a dot take 11 of the 253 bytes of a host name. Source: api §4. */
const CNAME_TARGET_BYTES = 253 - 11;
/** The number of workers is limited, because each one takes memory and database connections. */
const MAX_WORKERS = 64;
const LABEL_RULE = 'with parts of 1 to 63 letters, digits and hyphens';
const MAX_EMAIL_LENGTH = 254;
const MAX_CONTACT_LENGTH = 500;
const UNIT_MS = { ms: 1, s: 1_000, min: 60_000, h: 3_600_000, d: 86_400_000 };
/** `GET /limits` returns the whole list. */
const MAX_EXTENSIONS = 500;
const MAX_SECONDS = 24 * 3_600;
/** Ranges of addresses that are not reachable from the internet, as ipaddr.js names them. */
const LOCAL_RANGES = new Set(['loopback', 'private', 'linkLocal', 'carrierGradeNat', 'uniqueLocal']);
/** Prefix lengths of the widest networks that can plausibly belong to one owner: 10.0.0.0/8 and fc00::/7. */
const WIDEST_NETWORK = { 4: 8, 6: 7 };

// A parse function takes trimmed, non-empty text. It throws an Error that says which texts are valid, without secrets.

export function parsePort(text: string): number {
  return wholeNumber(text, [0, 65_535], 'is not a port; use a number from 1 to 65535, or 0 for any free one');
}

/** Reads the number of worker processes; `auto` means one for each core that this process may use. */
export function parseWorkers(text: string): number {
  if (text.toLowerCase() === 'auto') return Math.min(availableParallelism(), MAX_WORKERS);
  const advice = `is not a number of processes; use one from 1 to ${MAX_WORKERS}, or "auto" for one per core`;
  return wholeNumber(text, [1, MAX_WORKERS], advice);
}

export function parseAddresses(text: string): string[] {
  return listOf(text, (item) => {
    if (isIP(item) === 0)
      throw new Error(
        `${quote(item)} is not an IP address; list addresses, such as "127.0.0.1, ::1", or "0.0.0.0" for all`,
      );
    return item.toLowerCase();
  });
}

/** Where a listener listens. `host` is an IP address. */
export interface ListenAddress {
  host: string;
  port: number;
}

/** Reads an IP address, or `localhost`, with a port. IPv6 is in brackets. Source: api §12. */
export function parseListenAddress(text: string): ListenAddress {
  const [, bracketed, plain, digits = ''] = /^(?:\[([^\]]*)\]|([^:]*)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? (plain === 'localhost' ? '127.0.0.1' : (plain ?? ''));
  if (isIP(host) !== (bracketed === undefined ? 4 : 6) || Number(digits) > 65_535)
    throw new Error(
      `${quote(text)} is not an address with a port; use one such as "127.0.0.1:4001", "[::1]:4001" or "0.0.0.0:4001"`,
    );
  return { host: host.toLowerCase(), port: Number(digits) };
}

/** Whether clients outside of private networks may reach an address. All addresses of a machine count as public. */
export function isPublic(address: string): boolean {
  return !LOCAL_RANGES.has(ipaddr.process(address).range());
}

export function parseAdminToken(text: string): string {
  if (!/^[!-~]{32,512}$/.test(text))
    throw new Error(
      'the token must have 32 to 512 ASCII characters and no spaces, such as the output of "openssl rand -hex 32"',
    );
  return text;
}

/** Reads which names get a certificate on demand: custom domains only, or all sites. Source: api §12. */
export function parseTlsOnDemand(text: string): 'custom' | 'all' {
  const value = text.toLowerCase();
  if (value !== 'custom' && value !== 'all') throw new Error(`${quote(text)} is invalid; use "custom" or "all"`);
  return value;
}

/** Rejects networks that would trust almost everyone. Source: security T12, T37. */
export function parseProxies(text: string): string[] {
  return listOf(text, (item) => {
    const [written = '', prefix, ...rest] = item.split('/');
    const family = isIP(written) as 0 | 4 | 6;
    const addressBits = family === 4 ? 32 : 128;
    const length = prefix === undefined ? addressBits : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN;
    const address = family === 6 ? URL.parse(`http://[${written}]`)?.hostname.slice(1, -1) : written;
    if (family !== 0 && rest.length === 0 && !(length <= addressBits))
      throw new Error(
        `${quote(item)} has no usable prefix; use /${WIDEST_NETWORK[family]} to /${addressBits} for IPv${family}`,
      );
    if (family === 0 || !address || rest.length > 0)
      throw new Error(
        `${quote(item)} is not an address; list the proxies by address or network, such as "10.0.0.7, 10.1.0.0/16"`,
      );
    if (length < WIDEST_NETWORK[family])
      throw new Error(
        `${quote(item)} would trust almost every client; list the networks of your proxies, for IPv${family} /${WIDEST_NETWORK[family]} or narrower`,
      );
    // The network below :: contains the IPv6 spellings of all IPv4 addresses.
    if (address.startsWith('::') && address !== '::1')
      throw new Error(`${quote(item)} contains IPv4 addresses; write them in IPv4 form`);
    return prefix === undefined ? address : `${address}/${length}`;
  });
}

/** Returns resolvers as `address:port`. The port is optional in the input; the default is 53. Source: api §10. */
export function parseDnsServers(text: string): string[] {
  return listOf(text, (item) => {
    const [, bracketed, plain, digits] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d{1,5}))?$/.exec(item) ?? [];
    const address = bracketed ?? plain ?? item;
    const family = isIP(address);
    const port = digits === undefined ? 53 : Number(digits);
    if (family === 0 || (bracketed !== undefined && family === 4) || port < 1 || port > 65_535)
      throw new Error(
        `${quote(item)} is not the address of a DNS server; list IP addresses with or without a port from 1 to 65535, such as "192.0.2.53, [2001:db8::53]:5353"`,
      );
    return family === 6 ? `[${address.toLowerCase()}]:${port}` : `${address}:${port}`;
  });
}

export function parseBaseUrl(text: string): URL {
  const url = parseHttpUrl(text, 'http://localhost:4000');
  if (url.pathname !== '/') throw new Error(`${quote(text)} has a path; use only the origin: ${url.origin}`);
  if (!HOST_NAME.test(url.hostname))
    throw new Error(
      `${quote(text)} has no usable host; use an IPv4 address, or a name of at most 253 characters, ${LABEL_RULE}`,
    );
  return url;
}

/** Reads the domain of sites: a name, with a port if site URLs contain one. Drops the default port of the scheme. */
export function parsePlatformDomain(text: string, scheme: string): string {
  const url = /[/?#@\\]/.test(text) ? null : URL.parse(`${scheme}://${text.replace(/\.(?=:\d+$|$)/, '')}`);
  if (url && url.hostname.length > PLATFORM_HOST_BYTES)
    throw new Error(`the domain must have at most ${PLATFORM_HOST_BYTES} characters, so that sites can be below it`);
  if (!url || !HOST_NAME.test(url.hostname) || isIP(url.hostname) !== 0)
    throw new Error(
      `${quote(text)} is not a domain name; use one without scheme and path, such as "sites.example.com", ${LABEL_RULE}`,
    );
  return url.host;
}

export function parseCnameTarget(text: string): string {
  const host = /[/?#@\\:]/.test(text) ? '' : (URL.parse(`http://${text.replace(/\.$/, '')}`)?.hostname ?? '');
  if (host.length > CNAME_TARGET_BYTES)
    throw new Error(`the host must have at most ${CNAME_TARGET_BYTES} characters, so that accounts can be below it`);
  if (!HOST_NAME.test(host) || isIP(host) !== 0)
    throw new Error(`${quote(text)} is not a host name; use one such as "cname.example.com", ${LABEL_RULE}`);
  return host;
}

/** Returns addresses in their canonical spelling, with which DNS records are compared. */
export function parseApexAddresses(text: string): string[] {
  return listOf(text, (item) => {
    const family = isIP(item);
    const address = family === 6 ? (URL.parse(`http://[${item}]`)?.hostname.slice(1, -1) ?? '') : item;
    if (family === 0 || address === '' || address === '0.0.0.0' || address === '::')
      throw new Error(
        `${quote(item)} is not an address that a domain can point at; list the public addresses of this server, such as "192.0.2.10, 2001:db8::10"`,
      );
    return address;
  });
}

/** Returns the URL of the claim page without a trailing slash. */
export function parseClaimUrl(text: string): string {
  const { href } = parseHttpUrl(text, 'https://console.example.com/claim');
  let hrefEnd = href.length;
  while (href[hrefEnd - 1] === '/') hrefEnd -= 1;
  return href.slice(0, hrefEnd);
}

export function parseDatabaseUrl(text: string): string {
  const protocol = URL.parse(text)?.protocol;
  if (protocol !== 'postgres:' && protocol !== 'postgresql:')
    throw new Error(
      'the value must be a PostgreSQL URL like "postgres://user:password@host:5432/database", percent-encoded',
    );
  return text;
}

export function parseEmail(text: string): string {
  if (text.length > MAX_EMAIL_LENGTH || !/^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(text))
    throw new Error(
      `${quote(text)} is not an e-mail address; use "name@host" of at most ${MAX_EMAIL_LENGTH} characters`,
    );
  return text;
}

export function parseSmtpUrl(text: string): string {
  const url = URL.parse(text);
  if ((url?.protocol !== 'smtp:' && url?.protocol !== 'smtps:') || url.hostname === '')
    throw new Error(
      'the value must be the URL of a mail server like "smtps://user:password@mail.example.com", percent-encoded',
    );
  return text;
}

/** Reads the issuer of an OpenID Connect provider. Plain http is allowed for this machine only. */
export function parseIssuer(text: string): string {
  const url = URL.parse(text);
  const isLocal = url?.protocol === 'http:' && /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (!url || (url.protocol !== 'https:' && !isLocal) || url.search || url.hash || url.username)
    throw new Error('the issuer must be an https URL without a query, such as "https://accounts.example.com"');
  return text;
}

/** Reads the name of a provider, which a button shows. */
export function parseProviderName(text: string): string {
  if (text.length > 40 || /\p{Cc}/u.test(text)) throw new Error('the name must have at most 40 characters');
  return text;
}

/** Reads the sender of e-mails: an address, or a name with an address in angle brackets. */
export function parseSender(text: string): string {
  if (
    text.length > MAX_EMAIL_LENGTH ||
    !/^(?:[^<>@"\p{Cc}]* )?(?:<[^\s@<>"\p{Cc}]+@[^\s@<>"\p{Cc}]+>|[^\s@<>"\p{Cc}]+@[^\s@<>"\p{Cc}]+)$/u.test(text)
  )
    throw new Error(`${quote(text)} is not a sender; use "berth@example.com" or "Berth <berth@example.com>"`);
  return text;
}

/** Reads an e-mail address or an http(s) URL. @returns A URL; `mailto:` for an e-mail address. */
export function parseAbuseContact(text: string): string {
  const advice =
    'the contact must be an e-mail address or a URL, such as "abuse@example.com" or "https://example.com/abuse"';
  if (text.length > MAX_CONTACT_LENGTH) throw new Error(`${advice}, of at most ${MAX_CONTACT_LENGTH} characters`);
  if (/^https?:\/\//i.test(text)) {
    const url = URL.parse(text);
    if (!url || url.username || url.password) throw new Error(advice);
    return url.href;
  }
  const address = text.replace(/^mailto:/i, '');
  if (!/^[\w.+-]+@[\w-]+(?:\.[\w-]+)*$/.test(address)) throw new Error(advice);
  return `mailto:${address}`;
}

export function parseApiKey(text: string): string {
  if (!CREDENTIAL.test(text) || !text.startsWith(`${CREDENTIAL_PREFIX.api}-`))
    throw new Error(
      `the key must be "${CREDENTIAL_PREFIX.api}-" and 32 lower-case hex digits, such as "openssl rand -hex 16" prints`,
    );
  return text;
}

export function parseSecretKey(text: string): Buffer {
  const key = /^[0-9a-f]{64}$/i.test(text)
    ? Buffer.from(text, 'hex')
    : /^[\w+/-]{43}=?$/.test(text)
      ? Buffer.from(text, 'base64')
      : null;
  if (key?.length !== 32)
    throw new Error('the key must be 32 bytes: 64 hex digits, such as the output of "openssl rand -hex 32", or base64');
  return key;
}

/** Reads the URL of an OpenTelemetry collector. */
export function parseCollector(text: string): string {
  return parseHttpUrl(text, 'http://localhost:4318').href;
}

export function parseSeconds(text: string): number {
  const advice = `is not a number of seconds; use a whole number from 0 to ${MAX_SECONDS}`;
  return wholeNumber(text, [0, MAX_SECONDS], advice);
}

/** Reads a whole number with its unit (`ms`, `s`, `min`, `h` or `d`), such as `30s`. @returns Milliseconds. */
export function parseDuration(text: string): number {
  const [, amount, unit] = /^(\d{1,9}) ?(ms|s|min|h|d)$/.exec(text) ?? [];
  if (!amount || !unit)
    throw new Error(
      `${quote(text)} is not a duration; use a number of at most 9 digits and a unit, such as "500ms", "30s", "10min", "24h" or "7d"`,
    );
  return Number(amount) * UNIT_MS[unit as keyof typeof UNIT_MS];
}

const BYTE_UNITS = { B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3, TiB: 1024 ** 4 } as const;

/** Reads a number of bytes with its unit, such as `10GiB`. @param least The minimum. @returns Bytes. */
export function parseBytes(text: string, least: number): number {
  const [, amount, unit = 'B'] = /^(\d{1,15}) ?(B|KiB|MiB|GiB|TiB)?$/.exec(text) ?? [];
  const bytes = Number(amount) * BYTE_UNITS[unit as keyof typeof BYTE_UNITS];
  if (!(bytes >= least) || !Number.isSafeInteger(bytes))
    throw new Error(
      `${quote(text)} is not a size of at least ${least / 1024 ** 2}MiB; use a number and a unit, such as "10GiB"`,
    );
  return bytes;
}

export function parseSwitch(text: string): boolean {
  const isOn = ['1', 'on', 'true', 'yes'].includes(text.toLowerCase());
  if (!isOn && !['0', 'off', 'false', 'no'].includes(text.toLowerCase()))
    throw new Error(`${quote(text)} is neither on nor off; use 1 or 0`);
  return isOn;
}

/** Reads the file extensions that are refused. Case and a leading dot do not matter; `none` means that there are none. */
export function parseBlockedExtensions(text: string): string[] {
  if (text.toLowerCase() === 'none') return [];
  const extensions = listOf(text, (item) => {
    const [, extension] = /^\.?([a-z0-9_+-]{1,32})$/.exec(item.toLowerCase()) ?? [];
    if (extension === undefined)
      throw new Error(
        `${quote(item)} is not a file extension; list extensions of 1 to 32 letters, digits, "_", "+" or "-", such as "exe, msi", or use "none"`,
      );
    return extension;
  });
  if (extensions.length === 0 || extensions.length > MAX_EXTENSIONS)
    throw new Error(`the list must have 1 to ${MAX_EXTENSIONS} file extensions; to refuse none, use "none"`);
  return extensions;
}

export function parseLogLevel(text: string): LogLevel {
  const level = LOG_LEVELS.find((known) => known === text.toLowerCase());
  if (!level) throw new Error(`${quote(text)} is not a level; use one of ${LOG_LEVELS.join(', ')}`);
  return level;
}

export function parseLogFormat(text: string): LogFormat {
  const format = LOG_FORMATS.find((known) => known === text.toLowerCase());
  if (!format) throw new Error(`${quote(text)} is not a format; use "pretty" for people or "json" for programs`);
  return format;
}

/** Reads which requests are logged, such as `errors` or `sample:100`. */
export function parseLoggedRequests(text: string): LoggedRequests {
  const [, which, every] = /^(?:(off|errors|api|all)|sample:(\d{1,7}))$/.exec(text.toLowerCase()) ?? [];
  if (which) return { which: which as 'all' };
  if (!(Number(every) >= 1 && Number(every) <= MAX_SAMPLED))
    throw new Error(
      `${quote(text)} does not say which requests are logged; use off, errors, api, all, or "sample:100" for one of 100, with a number from 1 to ${MAX_SAMPLED}`,
    );
  return { which: 'sample', every: Number(every) };
}

/** Whether a secret is probably not random: few distinct bytes, or bytes at equal distances. Source: security T37. */
export function isSample(secret: Buffer): boolean {
  const distances = new Set(secret.subarray(1).map((byte, index) => byte - secret[index]!));
  return distances.size === 1 || new Set(secret).size <= secret.length / 2;
}

/** Quotes and shortens a text for a message. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}

function wholeNumber(text: string, [min, max]: readonly [number, number], advice: string): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(number >= min && number <= max)) throw new Error(`${quote(text)} ${advice}`);
  return number;
}

function listOf(text: string, parse: (item: string) => string): string[] {
  const items = text.split(',').map((item) => item.trim());
  return [...new Set(items.filter((item) => item !== '').map(parse))];
}

function parseHttpUrl(text: string, example: string): URL {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new Error(`${quote(text)} is not an http or https URL; use one such as "${example}"`);
  if (url.username || url.password || url.search || url.hash || /[?#]$/.test(text))
    throw new Error(`has a user, a query or a fragment; use a plain URL such as "${example}"`);
  return url;
}
