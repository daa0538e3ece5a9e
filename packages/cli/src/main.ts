#!/usr/bin/env node
// The program `berth`.
import { EXIT } from './exit-codes.ts';
import { run } from './run.ts';
import { PARTS } from './session.ts';
import { terminalOf } from './terminal.ts';

const { argv, env, stdin, stdout, stderr } = process;
const words = argv.slice(2);
// Lists of processes show this title instead of the arguments, which may contain a password.
process.title = 'berth';

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => (stop.signal.aborted ? process.exit(EXIT.interrupted) : stop.abort()));
// A reader that closes the pipe early, such as `head`, is not an error.
stdout.on('error', ({ code }: NodeJS.ErrnoException) => process.exit(code === 'EPIPE' ? EXIT.ok : EXIT.unexpected));

process.exitCode = await run(words, {
  env,
  terminal: terminalOf({ stdin, stdout, stderr }, env),
  parts: PARTS,
  signal: stop.signal,
});
