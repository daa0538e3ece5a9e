import { type DnsProvider, PROVIDER_TABLE } from './provider-table.ts';

const PATTERNS = PROVIDER_TABLE.map((provider) => ({
  provider,
  pattern: new RegExp(`(?:^|\\.)(?:${provider.servers.map(toPattern).join('|')})$`),
}));

/** The provider of most of these name servers; `null` if none of them is known. */
export function findProviderByNameServers(nameServers: readonly string[]): DnsProvider | null {
  const counts = new Map<DnsProvider, number>();
  for (const server of nameServers) {
    const host = server.toLowerCase().replace(/\.$/, '');
    const found = PATTERNS.find(({ pattern }) => pattern.test(host));
    if (found) counts.set(found.provider, (counts.get(found.provider) ?? 0) + 1);
  }
  const [top] = [...counts].toSorted(([, a], [, b]) => b - a);
  return top?.[0] ?? null;
}

/** Whether the form of this provider expects full names. `false` for an unknown provider. */
export function expectsFullNames(provider: string | null): boolean {
  return PROVIDER_TABLE.some(({ name, entry }) => name === provider && entry === 'whole');
}

/**
 * Instructions for adding records, step by step, in plain text.
 *
 * @param provider The name of a provider from {@link findProviderByNameServers}. `null` or an unknown name gives steps that fit any
 * provider.
 */
export function listSetupSteps(provider: string | null): string[] {
  const known = PROVIDER_TABLE.find(({ name }) => name === provider);
  if (!known)
    return [
      'Sign in to the DNS provider of the domain. This is usually the company where you bought it.',
      'Open the list of DNS records. It may be called "DNS", "Zone" or "Name servers".',
      'Add each record with its type, name and value. Most forms expect the short name; some expect the full one.',
      'If a record with the same type and name already exists, change that one.',
      'Save. The change can take from a minute to a few hours to take effect.',
    ];
  const apexEntry = known.apex === '' ? 'leave the field empty' : `write ${known.apex}`;
  return [
    `Sign in at ${known.name} and open ${known.open}.`,
    known.entry === 'whole'
      ? 'Add each record with its type, name and value. The form expects the full name.'
      : `Add each record with its type, name and value. The form expects the short name; for the domain itself, ${apexEntry}.`,
    'If a record with the same type and name already exists, change that one.',
    ...(known.note === undefined ? [] : [known.note]),
    'Save. The change can take from a minute to a few hours to take effect.',
  ];
}

function toPattern(server: string): string {
  return server.replaceAll('.', '\\.').replaceAll('*', '[a-z0-9-]+');
}
