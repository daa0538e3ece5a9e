import type { Command } from 'commander';

/** A place in the command line, and what can be typed there. */
export interface CompletionPoint {
  /** The words before it: none, `deployments`, `deployments list`. */
  path: readonly string[];
  words: readonly Candidate[];
  options: readonly Candidate[];
  /** Whether a folder can be typed there. */
  takesFolder: boolean;
}

/** A word, and its effect. */
export interface Candidate {
  word: string;
  effect: string;
}

/**
 * Returns every place of a program, starting with the program itself. The options of a default command also belong to its
 * parent.
 */
export function completionPointsOf(program: Command): CompletionPoint[] {
  const globals = optionsOf(program);
  const pointsBelow = (command: Command, path: readonly string[]): CompletionPoint[] => {
    // The first command of a group is its default.
    const [unnamed] = command.commands;
    const own: CompletionPoint = {
      path,
      words: [
        ...command.commands.map((each) => ({ word: each.name(), effect: each.summary() || each.description() })),
        ...(command.registeredArguments[0]?.argChoices ?? []).map((word) => ({ word, effect: '' })),
      ],
      options: [...(unnamed ? optionsOf(unnamed) : []), ...(path.length === 0 ? [] : optionsOf(command)), ...globals],
      takesFolder: [command, unnamed].some((each) => each?.registeredArguments[0]?.name() === 'folder'),
    };
    return [own, ...command.commands.flatMap((each) => pointsBelow(each, [...path, each.name()]))];
  };
  return pointsBelow(program, []);
}

const HELP: Candidate = { word: '--help', effect: 'show help' };

function optionsOf(command: Command): Candidate[] {
  const own = command.options
    .filter(({ long, hidden }) => long && !hidden)
    .map(({ long, description }) => ({ word: long!, effect: description }));
  return command.parent ? own : [...own, HELP];
}
