/**
 * Commands of comparable tools (wrangler, netlify, vercel, surge, firebase, gh-pages and others) that berth does not have, by the
 * berth command that does the same. None of these words publishes a folder of that name.
 */
const EQUIVALENTS = {
  account: 'info plan status user',
  activities: 'log logs',
  'activities --follow': 'tail',
  config: 'settings',
  'config set server': 'server',
  deployments: 'deploys list ls pages projects releases sites versions',
  'deployments delete': 'delete destroy down remove rm teardown undeploy',
  'deployments get': 'inspect',
  domains: 'aliases domain',
  'domains delete': 'unlink',
  'domains records': 'dns',
  'domains set': 'alias link promote rollback',
  login: 'auth',
  publish: 'add create deploy hosting push redeploy release up upload',
  tokens: 'keys secret secrets token',
  watch: 'dev',
};

/** Commands of comparable tools that have no equivalent. */
const UNSUPPORTED =
  'api build bundle cache cert certs ci claim clean clone disable emulators env functions init install new ping ' +
  'plugins preview project pull run serve setup start stop switch teams test update upgrade users version';

const FOREIGN = new Map<string, string | null>([
  ...UNSUPPORTED.split(' ').map((word) => [word, null] as const),
  ...Object.entries(EQUIVALENTS).flatMap(([command, words]) =>
    words.split(' ').map((word) => [word, command] as const),
  ),
]);

/** Returns true if a word is a command of a comparable tool. Such a word never means a folder. */
export function isForeignCommand(word: string): boolean {
  return FOREIGN.has(word.toLowerCase());
}

/** Returns what to type instead of a command of a comparable tool; empty if berth has no such command. */
export function suggestEquivalent(word: string): string {
  const command = FOREIGN.get(word.toLowerCase()) ?? null;
  return command === null ? '' : `Did you mean berth ${command}?`;
}
