import type { Command } from './command.ts';
import { columns } from './table.ts';

const PROGRAM = 'npm run berth --';

/** All commands, a line each. */
export function overview(commands: readonly Command[]): string {
  return [
    'Works on the Berth of this configuration, whether its server runs or not.',
    '',
    `  ${PROGRAM} <command>`,
    '',
    ...columns(commands.map((command) => [`  ${usage(command)}`, command.summary])),
    '',
    `More on one: ${PROGRAM} help <command>`,
    'It ends with 0 when all is well, 1 when something failed or was found, 2 when it was not understood.',
    '',
  ].join('\n');
}

/** One command with its options and examples. */
export function manual(command: Command): string {
  const options = Object.entries(command.options ?? {});
  return [
    `${command.summary}`,
    ...(command.details ?? []),
    '',
    `  ${PROGRAM} ${usage(command)}`,
    ...(options.length > 0
      ? [
          '',
          'Options',
          ...columns(options.map(([name, { value, help }]) => [`  --${name}${value ? ` <${value}>` : ''}`, help])),
        ]
      : []),
    '',
    command.examples.length > 1 ? 'Examples' : 'Example',
    ...command.examples.map((example) => `  ${PROGRAM} ${example}`),
    '',
  ].join('\n');
}

/** What is typed. */
export function usage({ name, arguments: names = [], options = {} }: Command): string {
  return [
    name,
    ...names.map((each) => `<${each}>`),
    ...Object.entries(options).map(([option, { value }]) => `[--${option}${value ? ` <${value}>` : ''}]`),
  ].join(' ');
}
