import { Command, CommanderError } from 'commander';

/** Finds the name whose spelling is most similar to a word, by the rules of the argument parser; `null` if none is similar. */
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

/** The commands of comparable tools, such as wrangler and netlify, by the berth command that does the same. */
const EQUIVALENTS = {
  account: 'info plan status user',
  activities: 'log logs',
  'activities --follow': 'tail',
  config: 'settings',
  'config set server': 'server',
  deployments: 'deploys list ls pages projects releases sites',
  'deployments delete': 'delete destroy down remove rm teardown undeploy',
  'deployments get': 'inspect',
  domains: 'aliases domain',
  'domains delete': 'unlink',
  'domains records': 'dns',
  'domains set': 'alias link promote',
  login: 'auth',
  publish: 'add create deploy hosting push redeploy release up upload',
  tokens: 'keys secret secrets token',
  watch: 'dev',
};

/** The commands of comparable tools for which berth has no equivalent. */
const UNSUPPORTED_WORDS =
  'api build bundle cache cert certs ci clean clone disable emulators env functions install new ping ' +
  'plugins project pull run serve setup start stop switch teams test update upgrade users version';

const FOREIGN_COMMANDS = new Map<string, string | null>([
  ...UNSUPPORTED_WORDS.split(' ').map((word) => [word, null] as const),
  ...Object.entries(EQUIVALENTS).flatMap(([command, words]) =>
    words.split(' ').map((word) => [word, command] as const),
  ),
]);

/** Returns true if a word is a command of a comparable tool. Such a word alone never publishes a folder of that name. */
export function isForeignCommand(word: string): boolean {
  return FOREIGN_COMMANDS.has(word.toLowerCase());
}

/** Returns the message for a command of a comparable tool: it suggests the berth command that does the same, if there is one. */
export function unknownCommandMessage(word: string, more = ''): string {
  const equivalent = FOREIGN_COMMANDS.get(word.toLowerCase());
  const suggestion = equivalent ? `Did you mean berth ${equivalent}?` : '';
  return [`There is no command "${word}".`, suggestion, more].filter((part) => part !== '').join(' ');
}
