#!/usr/bin/env node
// electron-builder calls this instead of `fpm` to make a Debian package. It takes the same arguments and uses `dpkg-deb`, which
// every Debian system has.
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
const all = (name: string) => options.get(name) ?? [];
const one = (name: string) => all(name)[0];
if (one('-t') !== 'deb') throw new Error(`The package type must be deb, not ${one('-t')}`);

const stage = mkdtempSync(join(tmpdir(), 'berth-deb-'));
try {
  // It becomes the root of the file system, so all users must be able to read it.
  chmodSync(stage, 0o755);
  for (const [from, to] of files) {
    mkdirSync(join(stage, dirname(to)), { recursive: true });
    cpSync(from, join(stage, to), { recursive: true, verbatimSymlinks: true });
  }
  const fields = {
    Package: one('--name'),
    Version: one('--version'),
    License: one('--license'),
    Vendor: one('--vendor'),
    Architecture: one('--architecture'),
    Maintainer: one('--maintainer'),
    'Installed-Size': String(Math.ceil(bytesIn(stage) / 1_024)),
    Depends: all('-d').join(', '),
    Recommends: all('--deb-recommends').join(', '),
    Section: one('--category'),
    Priority: one('--deb-priority'),
    Homepage: one('--url'),
    Description: one('--description'),
  };
  mkdirSync(join(stage, 'DEBIAN'));
  const lines = Object.entries(fields).flatMap(([name, value]) => (value ? [`${name}: ${value}\n`] : []));
  writeFileSync(join(stage, 'DEBIAN/control'), lines.join(''));
  for (const [option, name] of [
    ['--after-install', 'postinst'],
    ['--after-remove', 'postrm'],
  ] as const) {
    const script = join(stage, 'DEBIAN', name);
    copyFileSync(one(option)!, script);
    chmodSync(script, 0o755);
  }
  const how = ['--root-owner-group', `-Z${one('--deb-compression')}`, '--build'];
  execFileSync('dpkg-deb', [...how, stage, one('--package')!], { stdio: 'inherit' });
} finally {
  rmSync(stage, { recursive: true, force: true });
}

/** Parses the arguments. Each option except `--force` has a value; the other arguments are `source=target` files. */
function readArguments(args: string[]): { options: Map<string, string[]>; files: [from: string, to: string][] } {
  const options = new Map<string, string[]>();
  const files: [string, string][] = [];
  for (const rest = args.filter((arg) => arg !== '--force'); rest.length > 0;) {
    const arg = rest.shift()!;
    if (arg.startsWith('-')) options.set(arg, [...(options.get(arg) ?? []), rest.shift()!]);
    else files.push(arg.split('=') as [string, string]);
  }
  return { options, files };
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0)
    .reduce((sum, size) => sum + size, 0);
}
