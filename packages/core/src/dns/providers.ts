import { type DnsProvider, PROVIDER_TABLE } from './provider-table.ts';

const PATTERNS = PROVIDER_TABLE.map((provider) => ({
  provider,
  pattern: new RegExp(`(?:^|\\.)(?:${provider.servers.map(toPattern).join('|')})$`),
}));

/** The provider that runs most of the given name servers; `null` if they are all unknown. */
export function findProviderByNameServers(nameServers: readonly string[]): DnsProvider | null {
  const hostCounts = new Map<DnsProvider, number>();
  for (const server of nameServers) {
    const host = server.toLowerCase().replace(/\.$/, '');
    const matchingPattern = PATTERNS.find(({ pattern }) => pattern.test(host));
    if (matchingPattern) hostCounts.set(matchingPattern.provider, (hostCounts.get(matchingPattern.provider) ?? 0) + 1);
  }
  const [top] = [...hostCounts].toSorted(([, a], [, b]) => b - a);
  return top?.[0] ?? null;
}

/** Whether the form of this provider expects full names. `false` for an unknown provider. */
export function expectsFullNames(provider: string | null): boolean {
  return PROVIDER_TABLE.some(({ name, recordName }) => name === provider && recordName === 'full');
}

/**
 * Explains step by step, in plain text, how to add records.
 *
 * @param provider The name of a provider. `null` or an unknown name gives steps that fit any provider.
 */
export function listSetupSteps(provider: string | null): string[] {
  const knownProvider = PROVIDER_TABLE.find(({ name }) => name === provider);
  const start = knownProvider
    ? [`Sign in at ${knownProvider.name} and open ${knownProvider.open}.`]
    : [
        'Sign in to the DNS provider of the domain. This is usually the company where you bought it.',
        'Open the list of DNS records. It may be called "DNS", "Zone" or "Name servers".',
      ];
  return [
    ...start,
    `Add each record with its type, name and value. ${NAME_HINTS[knownProvider?.recordName ?? 'unknown']}`,
    'If a record with the same type and name already exists, change that one.',
    ...(knownProvider?.note === undefined ? [] : [knownProvider.note]),
    'Save. The change can take from a minute to a few hours to take effect.',
  ];
}

const NAME_HINTS = {
  full: 'The form expects the full name.',
  '@': 'The form expects the short name; for the domain itself, write @.',
  empty: 'The form expects the short name; for the domain itself, leave the field empty.',
  unknown: 'Most forms expect the short name; some expect the full one.',
};

function toPattern(server: string): string {
  return server.replaceAll('.', '\\.').replaceAll('*', '[a-z0-9-]+');
}
