// `node build/package.ts`: compiles the app and packages it for this system. Arguments are passed to electron-builder.
import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { buildApp, DIST } from './build.ts';

const ROOT = join(import.meta.dirname, '..');
const ELECTRON_BUILDER = createRequire(import.meta.url).resolve('electron-builder/cli.js');

/** Uses `dpkg-deb`, where it exists, to make Debian packages without a downloaded tool. */
const DEB_VARIABLES = existsSync('/usr/bin/dpkg-deb') ? { CUSTOM_FPM_PATH: join(ROOT, 'build/deb.ts') } : {};

/** Runs electron-builder on the compiled app without publishing. @param args Additional arguments of electron-builder. */
export function runPackager(
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
  stdio: StdioOptions = 'inherit',
): ChildProcess {
  return spawn(
    process.execPath,
    [ELECTRON_BUILDER, '--config', 'electron-builder.config.ts', '--publish', 'never', ...args],
    {
      cwd: ROOT,
      stdio,
      env: {
        ...DEB_VARIABLES,
        ...env,
        // electron-builder runs tools that must find the same Node.
        PATH: [dirname(process.execPath), env['PATH']].join(delimiter),
        // Disables the checks for newer versions of electron-builder and npm, which are updated by hand.
        NO_UPDATE_NOTIFIER: '1',
        npm_config_update_notifier: 'false',
      },
    },
  );
}

if (import.meta.main) {
  await rm(DIST, { recursive: true, force: true });
  await buildApp();
  const [code] = (await once(runPackager(process.argv.slice(2)), 'exit')) as [number | null];
  process.exitCode = code ?? 1;
}
