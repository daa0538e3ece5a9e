import { Argument, type Command } from 'commander';
import { completionPointsOf } from '../completion/completion-points.ts';
import { bashCompletion, fishCompletion, zshCompletion } from '../completion/scripts.ts';
import { type CommandContext, withExamples } from './define.ts';

const SHELLS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };
type Shell = keyof typeof SHELLS;

export function addCompletion(program: Command, { runtime }: CommandContext): void {
  withExamples(program.command('completion'), {
    'eval "$(berth completion bash)"': 'in ~/.bashrc',
    'eval "$(berth completion zsh)"': 'in ~/.zshrc, below compinit',
    'berth completion fish | source': 'in ~/.config/fish/config.fish',
  })
    .summary('print a completion script for a shell')
    .description('Print the script that lets a shell complete berth commands and options.')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SHELLS)))
    .action((shell: Shell) => runtime.terminal.out(SHELLS[shell](completionPointsOf(program)).trimEnd().split('\n')));
}
