import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The folder in which the npm package installs Electron. Its module is not imported, because that would start a download. */
const INSTALLED = join(import.meta.dirname, '../../node_modules/electron/dist');
const PROGRAMS: Partial<Record<NodeJS.Platform, string>> = {
  linux: 'electron',
  darwin: 'Electron.app/Contents/MacOS/Electron',
  win32: 'electron.exe',
};

/** The Electron program that the tests start: `ELECTRON_PATH`, or that of the npm package. */
export const ELECTRON = process.env['ELECTRON_PATH'] ?? join(INSTALLED, PROGRAMS[process.platform] ?? 'electron');

/** Why the tests with Electron cannot run; `null` if they can. */
export const NO_ELECTRON = reason();

function reason(): string | null {
  if (!existsSync(ELECTRON))
    return `there is no Electron at ${ELECTRON}; run npx install-electron in apps/desktop, or set ELECTRON_PATH`;
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  if (process.platform === 'linux' && !DISPLAY && !WAYLAND_DISPLAY) return 'there is no display; use xvfb-run';
  return null;
}
