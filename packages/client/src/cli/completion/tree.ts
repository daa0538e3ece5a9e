import type { Command } from 'commander';

/** A place in the command line, and what can be typed there. */
export interface Place {
  /** The words before it: none, `deployments`, `deployments list`. */
  path: readonly string[];
  words: readonly Word[];
  options: readonly Word[];
  /** Whether a folder can be typed there. */
  takesFolder: boolean;
}

/** A word, and its effect. */
export interface Word {
  word: string;
  does: string;
}

/**
 * Returns every place of a program, starting with the program itself. The options of a default command also belong to its
 * parent.
 */
export function placesOf(program: Command): Place[] {
  const globals = optionsOf(program);
  const placesBelow = (command: Command, path: readonly string[]): Place[] => {
    // The first command of a group is its default.
    const [unnamed] = command.commands;
    const own: Place = {
      path,
      words: [
        ...command.commands.map((each) => ({ word: each.name(), does: each.summary() || each.description() })),
        ...(command.registeredArguments[0]?.argChoices ?? []).map((word) => ({ word, does: '' })),
      ],
      options: [...(unnamed ? optionsOf(unnamed) : []), ...(path.length === 0 ? [] : optionsOf(command)), ...globals],
      takesFolder: [command, unnamed].some((each) => each?.registeredArguments[0]?.name() === 'folder'),
    };
    return [own, ...command.commands.flatMap((each) => placesBelow(each, [...path, each.name()]))];
  };
  return placesBelow(program, []);
}

const HELP: Word = { word: '--help', does: 'show help' };

function optionsOf(command: Command): Word[] {
  const own = command.options
    .filter(({ long, hidden }) => long && !hidden)
    .map(({ long, description }) => ({ word: long!, does: description }));
  return command.parent ? own : [...own, HELP];
}
