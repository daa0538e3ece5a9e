import { Argument, type Command } from 'commander';
import { completionPointsOf } from '../completion/completion-points.ts';
import { bashCompletion, fishCompletion, zshCompletion } from '../completion/scripts.ts';
import { examples, type CommandContext } from './define.ts';

const SHELLS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };
type Shell = keyof typeof SHELLS;

/** Adds `berth completion`: prints a completion script for a shell. */
export function addCompletion(program: Command, { runtime }: CommandContext): void {
  program
    .command('completion')
    .summary('print a completion script for a shell')
    .description('Print the script that lets a shell complete berth commands and options.')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SHELLS)))
    .addHelpText(
      'after',
      examples(
        ['eval "$(berth completion bash)"', 'in ~/.bashrc'],
        ['eval "$(berth completion zsh)"', 'in ~/.zshrc, below compinit'],
        ['berth completion fish | source', 'in ~/.config/fish/config.fish'],
      ),
    )
    .action((shell: Shell) => runtime.terminal.out(SHELLS[shell](completionPointsOf(program)).trimEnd().split('\n')));
}
