// `node build/package.ts`: compiles the app and packages it, for this system or as the arguments of electron-builder say.
import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { buildApp, DIST } from './build.ts';

const ROOT = join(import.meta.dirname, '..');
const ELECTRON_BUILDER = createRequire(import.meta.url).resolve('electron-builder/cli.js');

/** Where there is what Debian makes its packages with, nothing is downloaded for it. */
const DEBIAN = existsSync('/usr/bin/dpkg-deb') ? { CUSTOM_FPM_PATH: join(ROOT, 'build/deb.ts') } : {};

/** Runs electron-builder on the compiled app. Nothing is published. @param args Which packages, and other options of it. */
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
        ...DEBIAN,
        ...env,
        // The tools that it runs find this very Node.
        PATH: [dirname(process.execPath), env['PATH']].join(delimiter),
        // Versions are moved by hand: nobody is asked whether there is a newer electron-builder, or a newer npm.
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
