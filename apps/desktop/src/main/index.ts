import { join } from 'node:path';
import * as electron from 'electron';
import { boundMemory } from './memory.ts';
import { openBackend } from './open-backend.ts';
import { startApp } from './start.ts';

boundMemory();

// Electron is not ready before this module has been run to its end: nothing is waited for here.
void startApp(electron, { openBackend, dist: join(import.meta.dirname, '..'), process });
