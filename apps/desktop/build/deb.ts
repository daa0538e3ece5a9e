#!/usr/bin/env node
// electron-builder calls this program instead of `fpm` to make a Debian package.
// The program takes the arguments of `fpm` and runs `dpkg-deb`, which every Debian system has.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const { options, files } = readArguments(process.argv.slice(2));
const valuesOf = (name: string) => options.get(name) ?? [];
const valueOf = (name: string) => valuesOf(name)[0];
if (valueOf('-t') !== 'deb') throw new Error(`The package type must be deb, not ${valueOf('-t')}`);

const stagingDir = mkdtempSync(join(tmpdir(), 'berth-deb-'));
try {
  // The folder becomes the root of the file system, so all users must be able to read it.
  chmodSync(stagingDir, 0o755);
  for (const [from, to] of files) {
    mkdirSync(join(stagingDir, dirname(to)), { recursive: true });
    cpSync(from, join(stagingDir, to), { recursive: true, verbatimSymlinks: true });
  }
  const controlFields = {
    Package: valueOf('--name'),
    Version: valueOf('--version'),
    License: valueOf('--license'),
    Vendor: valueOf('--vendor'),
    Architecture: valueOf('--architecture'),
    Maintainer: valueOf('--maintainer'),
    'Installed-Size': String(Math.ceil(bytesIn(stagingDir) / 1_024)),
    Depends: valuesOf('-d').join(', '),
    Recommends: valuesOf('--deb-recommends').join(', '),
    Section: valueOf('--category'),
    Priority: valueOf('--deb-priority'),
    Homepage: valueOf('--url'),
    Description: valueOf('--description'),
  };
  mkdirSync(join(stagingDir, 'DEBIAN'));
  const lines = Object.entries(controlFields).flatMap(([name, value]) => (value ? [`${name}: ${value}\n`] : []));
  writeFileSync(join(stagingDir, 'DEBIAN/control'), lines.join(''));
  for (const [option, name] of [
    ['--after-install', 'postinst'],
    ['--after-remove', 'postrm'],
  ] as const) {
    const script = join(stagingDir, 'DEBIAN', name);
    copyFileSync(valueOf(option)!, script);
    chmodSync(script, 0o755);
  }
  const buildOptions = ['--root-owner-group', `-Z${valueOf('--deb-compression')}`, '--build'];
  execFileSync('dpkg-deb', [...buildOptions, stagingDir, valueOf('--package')!], { stdio: 'inherit' });
} finally {
  rmSync(stagingDir, { recursive: true, force: true });
}

/** Parses the arguments. Each option except `--force` has a value. All other arguments are files: `source=target`. */
function readArguments(args: string[]): { options: Map<string, string[]>; files: [from: string, to: string][] } {
  const options = new Map<string, string[]>();
  const files: [string, string][] = [];
  for (const remainingArgs = args.filter((arg) => arg !== '--force'); remainingArgs.length > 0;) {
    const arg = remainingArgs.shift()!;
    if (arg.startsWith('-')) options.set(arg, [...(options.get(arg) ?? []), remainingArgs.shift()!]);
    else files.push(arg.split('=') as [string, string]);
  }
  return { options, files };
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0)
    .reduce((sum, size) => sum + size, 0);
}
