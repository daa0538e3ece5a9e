import { parseArgs } from 'node:util';
import { type Command, type Input, UsageError } from './command.ts';

/** The parsed command line: a request for help, or a command to run. */
export type Request = { kind: 'help'; command: Command | null } | { kind: 'run'; command: Command; input: Input };

/**
 * Parses a command line.
 *
 * @throws UsageError with a hint on the correct usage.
 */
export function readArguments(commands: readonly Command[], words: readonly string[]): Request {
  const wantsHelp = words.includes('--help') || words.includes('-h') || words[0] === 'help';
  const positional = words.filter((word, at) => !word.startsWith('-') && !(at === 0 && word === 'help'));
  const command = findCommand(commands, positional);
  if (wantsHelp) {
    if (!command && positional[0] !== undefined && !isNoun(commands, positional[0]))
      throw unknownCommand(commands, positional);
    return { kind: 'help', command };
  }
  if (!command || !words.slice(0, wordCountOf(command)).every((word, at) => word === positional[at]))
    throw unknownCommand(commands, positional);
  const input = readInput(command, words.slice(wordCountOf(command)));
  command.check?.(input);
  return { kind: 'run', command, input };
}

function readInput(command: Command, words: readonly string[]): Input {
  const options = Object.entries(command.options ?? {}).map(
    ([name, { value }]) => [name, { type: value === undefined ? 'boolean' : 'string' }] as const,
  );
  let parsed;
  try {
    parsed = parseArgs({ args: [...words], options: Object.fromEntries(options), allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message.split(/\. (?:To specify|Did you)/)[0]!, command);
  }
  const { values, positionals } = parsed;
  const names = command.arguments ?? [];
  const missing = names.slice(positionals.length);
  if (missing.length > 0)
    throw new UsageError(`${missing.map((name) => `<${name}>`).join(' and ')} is missing`, command);
  if (positionals.length > names.length)
    throw new UsageError(`${JSON.stringify(positionals[names.length])} is an unexpected argument`, command);
  return {
    get: (argument) => positionals[names.indexOf(argument)]!,
    option: (name) => (typeof values[name] === 'string' ? values[name] : undefined),
    has: (name) => values[name] === true,
  };
}

function findCommand(commands: readonly Command[], named: readonly string[]): Command | null {
  return commands.find((command) => command.name === named.slice(0, wordCountOf(command)).join(' ')) ?? null;
}

function unknownCommand(commands: readonly Command[], named: readonly string[]): UsageError {
  const [noun, verb] = named;
  if (noun === undefined) return new UsageError('The command is missing');
  if (!isNoun(commands, noun)) return new UsageError(`There is no command ${JSON.stringify(noun)}`);
  const verbs = commands.filter(({ name }) => name.startsWith(`${noun} `)).map(({ name }) => name.split(' ')[1]);
  const wrong =
    verb === undefined ? `${noun}: the subcommand is missing` : `${noun}: unknown subcommand ${JSON.stringify(verb)}`;
  return new UsageError(`${wrong}. Use one of ${verbs.join(', ')}`);
}

function isNoun(commands: readonly Command[], word: string): boolean {
  return commands.some(({ name }) => name.split(' ')[0] === word);
}

function wordCountOf({ name }: Command): number {
  return name.split(' ').length;
}
