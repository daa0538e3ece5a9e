#!/usr/bin/env node
// The entry of the package. It runs on any version of Node, so it can name the required one, and loads the program only after
// this check.
import { nodeTooOldMessage } from './node-version.ts';

const message = nodeTooOldMessage(process.versions.node);
if (message === null) await import('./main.ts');
else {
  process.stderr.write(message);
  process.exitCode = 1;
}
