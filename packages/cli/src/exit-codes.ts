import type { ClientErrorKind } from '@berth/client';

/** The exit codes. Scripts depend on these numbers, so they never change. */
export const EXIT = {
  ok: 0,
  unexpected: 1,
  usage: 2,
  forbidden: 3,
  refused: 4,
  unreachable: 5,
  interrupted: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The meaning of each exit code, in the order of the help. */
export const EXIT_MEANINGS: readonly (readonly [ExitCode, string])[] = [
  [EXIT.ok, 'done'],
  [EXIT.unexpected, 'an unexpected error, here or on the server'],
  [EXIT.usage, 'the command line is invalid'],
  [EXIT.forbidden, 'you are not signed in, or this is not allowed'],
  [EXIT.refused, 'the server refused the request, or the folder cannot be published'],
  [EXIT.unreachable, 'the server cannot be reached or is busy: try again later'],
  [EXIT.interrupted, 'interrupted'],
];

/** The exit code for each kind of error. */
export const EXIT_OF_KIND: Record<ClientErrorKind | 'forbidden' | 'usage' | 'unexpected', ExitCode> = {
  usage: EXIT.usage,
  unexpected: EXIT.unexpected,
  network: EXIT.unreachable,
  unavailable: EXIT.unreachable,
  'signed-out': EXIT.forbidden,
  forbidden: EXIT.forbidden,
  refused: EXIT.refused,
  folder: EXIT.refused,
  server: EXIT.unexpected,
  aborted: EXIT.interrupted,
};
