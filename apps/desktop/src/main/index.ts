import { join } from 'node:path';
import * as electron from 'electron';
import { boundMemory } from './memory.ts';
import { engineOf } from './engine/start-engine.ts';
import { startApp } from './start.ts';

/** The server that the app was made for; empty for none. Set by the build. */
declare const BERTH_PRESET_SERVER: string;
const PRESET_SERVER = typeof BERTH_PRESET_SERVER === 'undefined' ? '' : BERTH_PRESET_SERVER;

boundMemory();

// The build names the programs of the threads, and the sources run as they are in tests.
const isSource = import.meta.url.endsWith('.ts');
const PROGRAMS = {
  engine: new URL(isSource ? './engine/index.ts' : './engine.js', import.meta.url),
  disk: new URL(isSource ? './engine/disk.ts' : './disk.js', import.meta.url),
};

// Electron becomes ready only after this module has finished, so the module must not await anything.
void startApp(electron, {
  openBackend: engineOf(PROGRAMS),
  dist: join(import.meta.dirname, '..'),
  process,
  backend: { server: process.env['BERTH_SERVER'] || PRESET_SERVER || undefined },
});
