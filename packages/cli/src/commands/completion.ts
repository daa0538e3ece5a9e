import { Argument, type Command } from 'commander';
import { bashCompletion } from '../completion/bash.ts';
import { fishCompletion } from '../completion/fish.ts';
import { type CompletionPoint, completionPointsOf } from '../completion/completion-points.ts';
import { zshCompletion } from '../completion/zsh.ts';
import { examples, type CommandContext } from './define.ts';

const SHELLS = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
} as const satisfies Record<string, (points: readonly CompletionPoint[]) => string>;
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
