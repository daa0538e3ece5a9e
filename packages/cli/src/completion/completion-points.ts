import type { Command } from 'commander';

/** The commands and options that can follow a command. */
export interface CompletionPoint {
  /** The words of the command: `[]` for the program itself, or for example `['deployments', 'list']`. */
  path: readonly string[];
  words: readonly Candidate[];
  options: readonly Candidate[];
  /** Whether the first argument of the command is a folder or an HTML file. */
  takesFolder: boolean;
}

/** A word that a shell offers, and the description of its effect. */
export interface Candidate {
  word: string;
  effect: string;
}

/** Returns the completion point of each command, starting with the program itself. */
export function completionPointsOf(program: Command): CompletionPoint[] {
  const globals = optionsOf(program);
  const pointsBelow = (command: Command, path: readonly string[]): CompletionPoint[] => {
    // The first command of a group is its default, so its options can also follow the group.
    const [defaultCommand] = command.commands;
    const ownPoint: CompletionPoint = {
      path,
      words: [
        ...command.commands.map((each) => ({ word: each.name(), effect: each.summary() || each.description() })),
        ...(command.registeredArguments[0]?.argChoices ?? []).map((word) => ({ word, effect: '' })),
      ],
      options: [
        ...(defaultCommand ? optionsOf(defaultCommand) : []),
        ...(path.length === 0 ? [] : optionsOf(command)),
        ...globals,
      ],
      takesFolder: [command, defaultCommand].some((each) => each?.registeredArguments[0]?.name() === 'folder'),
    };
    return [ownPoint, ...command.commands.flatMap((each) => pointsBelow(each, [...path, each.name()]))];
  };
  return pointsBelow(program, []);
}

const HELP: Candidate = { word: '--help', effect: 'show help' };

function optionsOf(command: Command): Candidate[] {
  const ownOptions = command.options
    .filter(({ long, hidden }) => long && !hidden)
    .map(({ long, description }) => ({ word: long!, effect: description }));
  return command.parent ? ownOptions : [...ownOptions, HELP];
}
