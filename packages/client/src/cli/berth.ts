#!/usr/bin/env node
// The entry of the package. It runs on any Node, to name the one that the rest needs, and loads that only then.
import { tooOld } from './node-version.ts';

const message = tooOld(process.versions.node);
if (message === null) await import('./main.ts');
else {
  process.stderr.write(message);
  process.exitCode = 1;
}
