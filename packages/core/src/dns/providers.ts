import { type DnsProvider, PROVIDER_TABLE } from './provider-table.ts';

const PATTERNS = PROVIDER_TABLE.map((provider) => ({
  provider,
  pattern: new RegExp(`(?:^|\\.)(?:${provider.servers.map(toPattern).join('|')})$`),
}));

/** The provider to whom most of these name servers belong; `null` when none is known. */
export function findProviderOf(nameServers: readonly string[]): DnsProvider | null {
  const counts = new Map<DnsProvider, number>();
  for (const server of nameServers) {
    const host = server.toLowerCase().replace(/\.$/, '');
    const found = PATTERNS.find(({ pattern }) => pattern.test(host));
    if (found) counts.set(found.provider, (counts.get(found.provider) ?? 0) + 1);
  }
  const [most] = [...counts].toSorted(([, a], [, b]) => b - a);
  return most?.[0] ?? null;
}

/** Whether a provider of this name wants whole names. `false` when it is not known. */
export function wantsWholeNames(provider: string | null): boolean {
  return PROVIDER_TABLE.some(({ name, entry }) => name === provider && entry === 'whole');
}

/**
 * How to add records, step by step, in plain text.
 *
 * @param provider The name of a provider as {@link findProviderOf} gives it; `null`, or one that is not known, for steps
 * that hold anywhere.
 */
export function stepsOf(provider: string | null): string[] {
  const known = PROVIDER_TABLE.find(({ name }) => name === provider);
  if (!known)
    return [
      'Sign in where the DNS of the domain is looked after. Most often that is where it was bought.',
      'Open the list of DNS records. It may be called "DNS", "zone" or "name servers".',
      'Add each record with its type, name and value. Most forms want the short name; some want the whole one.',
      'If a record of the same type and name is there already, change it instead.',
      'Save. It can take from a minute to some hours until a change is seen everywhere.',
    ];
  const nothing = known.apex === '' ? 'leave the field empty' : `write ${known.apex}`;
  return [
    `Sign in at ${known.name} and open ${known.open}.`,
    known.entry === 'whole'
      ? 'Add each record with its type, name and value. The form wants the whole name.'
      : `Add each record with its type, name and value. The form wants the short name; for the domain itself, ${nothing}.`,
    'If a record of the same type and name is there already, change it instead.',
    ...(known.note === undefined ? [] : [known.note]),
    'Save. It can take from a minute to some hours until a change is seen everywhere.',
  ];
}

function toPattern(server: string): string {
  return server.replaceAll('.', '\\.').replaceAll('*', '[a-z0-9-]+');
}
