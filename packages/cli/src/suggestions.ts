import { Command, CommanderError } from 'commander';

/** Finds the name with the most similar spelling, as judged by the argument parser; `null` if none is similar. */
export function findSimilarName(word: string, names: readonly string[]): string | null {
  const parser = new Command().exitOverride().configureOutput({ writeErr() {} });
  for (const name of names) parser.command(name);
  try {
    parser.parse([word], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return /Did you mean (?:one of )?([a-z-]+)/.exec(error.message)?.[1] ?? null;
    throw error;
  }
  return null;
}

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
function suggestEquivalent(word: string): string {
  const command = FOREIGN.get(word.toLowerCase()) ?? null;
  return command === null ? '' : `Did you mean berth ${command}?`;
}

/** Returns the message for an unknown command, with what to type instead. */
export function unknownCommandMessage(word: string, more = ''): string {
  return [`There is no command "${word}".`, suggestEquivalent(word), more].filter((part) => part !== '').join(' ');
}
