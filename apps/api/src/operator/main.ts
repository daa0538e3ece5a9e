#!/usr/bin/env node
// Runs one command of the operator. `npm run berth -- help` lists the commands; in the image this is `berth-admin help`.
import { EXIT, operate } from './operate.ts';

const resources = new AsyncDisposableStack();
const interrupt = () => void resources.disposeAsync().finally(() => process.exit(EXIT.interrupted));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupt);

const { stdout, stderr } = process;
// A reader such as `head` may close the pipe early; this is not a failure.
stdout.on('error', ({ code }: NodeJS.ErrnoException) => process.exit(code === 'EPIPE' ? EXIT.ok : EXIT.failed));
void operate(
  process.argv.slice(2),
  process.env,
  { out: (text) => void stdout.write(text), err: (text) => void stderr.write(text), isInteractive: stderr.isTTY },
  resources,
).then((exitCode) => {
  process.exitCode = exitCode;
});
