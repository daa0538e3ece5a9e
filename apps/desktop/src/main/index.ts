import { join } from 'node:path';
import * as electron from 'electron';
import { boundMemory } from './memory.ts';
import { openBackend } from './open-backend.ts';
import { startApp } from './start.ts';

boundMemory();

// Electron becomes ready only after this module has finished, so the module must not await anything.
void startApp(electron, { openBackend, dist: join(import.meta.dirname, '..'), process });
