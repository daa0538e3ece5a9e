import { Argument, type Command } from 'commander';
import { bashCompletion } from '../completion/bash.ts';
import { fishCompletion } from '../completion/fish.ts';
import { type Place, placesOf } from '../completion/tree.ts';
import { zshCompletion } from '../completion/zsh.ts';
import { examples, type Surroundings } from './define.ts';

const SHELLS = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
} as const satisfies Record<string, (places: readonly Place[]) => string>;
type Shell = keyof typeof SHELLS;

/** Adds `berth completion`: prints a completion script for a shell. */
export function addCompletion(program: Command, { world }: Surroundings): void {
  program
    .command('completion')
    .summary('print the script by which a shell completes berth')
    .description('Print the script by which a shell completes what is typed behind berth.')
    .addArgument(new Argument('<shell>', 'which one').choices(Object.keys(SHELLS)))
    .addHelpText(
      'after',
      examples(
        ['eval "$(berth completion bash)"', 'in ~/.bashrc'],
        ['eval "$(berth completion zsh)"', 'in ~/.zshrc, below compinit'],
        ['berth completion fish | source', 'in ~/.config/fish/config.fish'],
      ),
    )
    .action((shell: Shell) => world.terminal.out(SHELLS[shell](placesOf(program)).trimEnd().split('\n')));
}
