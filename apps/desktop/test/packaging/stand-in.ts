import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The marker of the fuses in the Electron program. After it come their version, their number, and one character for each. */
const SENTINEL = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX';

/** Electron's default fuses: they allow Node programs and options, and check nothing. */
const DELIVERED = '101100010';

const FILES = ['LICENSE', 'LICENSES.chromium.html', 'chrome-sandbox', 'icudtl.dat', 'locales/en-US.pak', 'version'];

/** Creates a folder with the layout of Electron for Linux and a program that does nothing. */
export async function makeElectronStandIn(folder: string): Promise<void> {
  await mkdir(join(folder, 'resources'), { recursive: true });
  for (const name of FILES) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), name);
  }
  const fuses = Buffer.concat([Buffer.from(SENTINEL), Buffer.from([1, DELIVERED.length]), Buffer.from(DELIVERED)]);
  const program = Buffer.concat([Buffer.from('#!/bin/sh\nexit 0\n# '), fuses]);
  await writeFile(join(folder, 'electron'), program, { mode: 0o755 });
}
