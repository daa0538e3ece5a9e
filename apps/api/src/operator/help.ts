import type { Command } from './command.ts';
import { columns } from './table.ts';

const PROGRAM = 'npm run berth --';

/** The overview: one line per command. */
export function overview(commands: readonly Command[]): string {
  return [
    'Administers the Berth service of this configuration, whether its server is running or not.',
    '',
    `  ${PROGRAM} <command>`,
    '',
    ...columns(commands.map((command) => [`  ${usage(command)}`, command.summary])),
    '',
    `Help for a command: ${PROGRAM} help <command>`,
    'Exit codes: 0 on success, 1 if the command failed or the doctor found problems, 2 if the command line is invalid.',
    '',
  ].join('\n');
}

/** The help of one command, with its options and examples. */
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

/** The usage line of a command. */
export function usage({ name, arguments: names = [], options = {} }: Command): string {
  return [
    name,
    ...names.map((each) => `<${each}>`),
    ...Object.entries(options).map(([option, { value }]) => `[--${option}${value ? ` <${value}>` : ''}]`),
  ].join(' ');
}
