import { isIP } from 'node:net';
import { domainToASCII, domainToUnicode } from 'node:url';
import { DEPLOYMENT_ID } from '@berth/contract';
import { getDomain } from 'tldts';
import type { Addresses } from '../core.ts';
import { invalid } from '../errors.ts';

/** Suffixes that are not in the public DNS. Source: security T29; RFC 6761, RFC 6762, RFC 7686, RFC 8375, RFC 9476. */
export const SPECIAL_USE_NAMES: readonly string[] =
  'alt arpa example internal invalid local localhost onion test'.split(' ');

/** Labels that cannot be platform domains, because people or programs would trust them as the service. Source: api §4. */
export const RESERVED_LABELS: ReadonlySet<string> = new Set(
  (
    'about abuse account accounts admin administrator api app apps assets auth autoconfig autodiscover berth billing ' +
    'broadcasthost cdn checkout claim console dashboard dns edge email ftp gateway help hostmaster imap internal ' +
    'isatap legal local localhost login logout mail metrics mta-sts mx1 mx2 no-reply noreply ns1 ns2 ns3 ns4 oauth ' +
    'origin payment payments pop3 postmaster privacy proxy register root security setup sftp sign-in sign-up signin ' +
    'signup smtp ssh sso static status support system terms vpn webmail webmaster wpad www'
  ).split(' '),
);

/** A valid domain name. */
export interface DomainName {
  ok: true;
  /** The name in lower case, as A-labels, without a trailing dot. */
  name: string;
  kind: 'platform' | 'custom';
  /** True if the name is a registrable domain itself, which cannot have a CNAME. */
  apex: boolean;
  /** The registrable domain of the name; for a platform domain the host name of the platform. */
  registrable: string;
}

/** The result for a text that cannot be a domain. `name` is set if the text is at least a valid host name. */
export interface InvalidDomainName {
  ok: false;
  name: string | null;
  /** Says what is invalid and what would be valid, without a full stop at the end. */
  reason: string;
}

/** The addresses of the service that decide which names can be domains. */
export type NameRules = Pick<Addresses, 'platformHost' | 'cnameTarget' | 'serviceHosts'>;

/** Maximum length of a text that is parsed. The Unicode form of a name of 253 bytes is always much shorter. */
const MAX_TEXT = 1_000;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const MAX_NAME = 253;
const ACCOUNT_TARGET = /^to-[a-z0-9]{7}$/;
const PLATFORM_LABEL_MIN = 3;

/**
 * Normalises a text to the canonical spelling of a host name: UTS-46, lower case, A-labels, no trailing dot. Refuses
 * everything that a URL parser would cut off, decode or read as a number. Idempotent.
 *
 * @returns The name, or the reason why it is invalid. Source: api §4; security T29.
 */
export function normaliseName(text: string): { ok: true; name: string } | InvalidDomainName {
  if (text === '') return invalidName('the name is empty; use a full name such as "www.example.com"');
  if (text.length > MAX_TEXT) return invalidName(`a domain name must have at most ${MAX_NAME} characters`);
  if (/[\s\p{Cc}\p{Z}]/u.test(text)) return invalidName('a domain name must not contain white space');
  if (/[/:@?#[\]%\\]/.test(text)) return invalidName('give only the name, without scheme, port or path');
  const name = domainToASCII(text).replace(/\.$/, '');
  if (name === '') return invalidName('this is not a domain name; use one such as "www.example.com"');
  if (name.includes('*')) return invalidName('a wildcard cannot be a domain; add each domain separately');
  if (isIP(name) !== 0) return invalidName('an IP address cannot be a domain; use a name');
  if (name.length > MAX_NAME) return invalidName(`a domain name must have at most ${MAX_NAME} characters`);
  const labels = name.split('.');
  const invalidLabel = labels.find((label) => !LABEL.test(label));
  if (invalidLabel !== undefined)
    return invalidName(
      invalidLabel === ''
        ? 'the parts between the dots must not be empty'
        : 'each part between the dots must have 1 to 63 letters, digits and inner hyphens',
    );
  if (/^(?:\d+|0x[0-9a-f]*)$/.test(labels.at(-1)!))
    return invalidName('the last part of a domain name must not be a number');
  const unicode = domainToUnicode(name);
  if (/(?:^|\.)xn--/.test(unicode) || domainToASCII(unicode) !== name)
    return invalidName('a part that starts with "xn--" must be valid punycode');
  if (labels.length === 1) return invalidName('a domain name must have at least two parts, such as "www.example.com"');
  return { ok: true, name };
}

/**
 * Decides if a text can be a domain, and of which kind. Pure: does not check if the name is available.
 *
 * A platform domain is one label of 3 to 63 characters below the domain of the platform. Source: api §4; security T29.
 */
export function readDomainName(text: string, rules: NameRules): DomainName | InvalidDomainName {
  const normalised = normaliseName(text);
  if (!normalised.ok) return normalised;
  const { name } = normalised;
  const refusedName = (reason: string): InvalidDomainName => ({ ok: false, name, reason });
  if (rules.serviceHosts.has(name) || name === rules.platformHost)
    return refusedName('this name belongs to the service itself; choose another name');
  if (name.endsWith(`.${rules.platformHost}`)) {
    const reason = platformFault(name.slice(0, -rules.platformHost.length - 1));
    return reason === null
      ? { ok: true, name, kind: 'platform', apex: false, registrable: rules.platformHost }
      : refusedName(reason);
  }
  if (name.endsWith(`.${rules.cnameTarget}`)) return refusedName('this name is reserved for CNAME targets');
  const specialSuffix = SPECIAL_USE_NAMES.find((suffix) => name === suffix || name.endsWith(`.${suffix}`));
  if (specialSuffix !== undefined) return refusedName(`names under ".${specialSuffix}" are not in the public DNS`);
  const registrable = findRegistrable(name);
  if (registrable === null)
    return refusedName('this is a suffix that names are registered under; use a name of yours below it');
  return { ok: true, name, kind: 'custom', apex: name === registrable, registrable };
}

/** True if a custom name is a registrable domain itself. */
export function isApex(name: string): boolean {
  return findRegistrable(name) === name;
}

/** The registrable domain of a custom name, or the name itself if it has become a public suffix in the meantime. */
export function registrableOf(name: string): string {
  return findRegistrable(name) ?? name;
}

/** The registrable domain by the public suffix list and its private suffixes, such as `github.io`; `null` for a suffix. */
function findRegistrable(name: string): string | null {
  return getDomain(name, { allowPrivateDomains: true, validateHostname: false, detectIp: false });
}

/** Like {@link readDomainName}, but also refuses an apex if the service has no addresses for an apex. */
export function readUsableName(addresses: Addresses, text: string): DomainName | InvalidDomainName {
  const result = readDomainName(text, addresses);
  if (!result.ok || !result.apex || addresses.apexAddresses.length > 0) return result;
  return {
    ok: false,
    name: result.name,
    reason: `an apex domain must point at IP addresses, but this service has none for it; use a name below it, such as "www.${result.name}"`,
  };
}

/** Like {@link readUsableName}. @throws `validation_failed` for a name that cannot be a domain. */
export function requireUsableName(addresses: Addresses, text: string): DomainName {
  const name = readUsableName(addresses, text);
  if (!name.ok) throw invalid('domain', name.reason);
  return name;
}

function platformFault(label: string): string | null {
  if (label.includes('.')) return 'a platform domain must be a single part below the domain of the platform';
  if (label.length < PLATFORM_LABEL_MIN)
    return `the first part of a platform domain must have at least ${PLATFORM_LABEL_MIN} characters`;
  if (DEPLOYMENT_ID.test(label)) return 'this name has the form of a deployment id; choose another name';
  if (RESERVED_LABELS.has(label) || ACCOUNT_TARGET.test(label)) return 'this name is reserved; choose another one';
  return null;
}

/** The names above a custom name, from its parent up to its registrable domain. */
export function namesAbove({ name, registrable }: Pick<DomainName, 'name' | 'registrable'>): string[] {
  const parentNames: string[] = [];
  for (let remainder = name; remainder !== registrable && remainder.includes('.');) {
    remainder = remainder.slice(remainder.indexOf('.') + 1);
    parentNames.push(remainder);
  }
  return parentNames;
}

function invalidName(reason: string): InvalidDomainName {
  return { ok: false, name: null, reason };
}
