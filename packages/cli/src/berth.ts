#!/usr/bin/env node
// The entry of the package runs on any version of Node. It checks the version before it loads the program.
import { nodeTooOldMessage } from './node-version.ts';

const message = nodeTooOldMessage(process.versions.node);
if (message === null) await import('./main.ts');
else {
  process.stderr.write(message);
  process.exitCode = 1;
}
