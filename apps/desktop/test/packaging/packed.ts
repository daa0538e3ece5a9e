import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { buildApp } from '../../build/build.ts';
import { runPackager } from '../../build/package.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Files that may exist where an app is built but do not belong in its package. */
const STRAY = ['.env', 'src/main/index.ts', 'node_modules/stray/index.js', 'dist/main/index.js.map', 'release/old.deb'];

/** The marker of the fuses in the Electron program. The marker is followed by a version, the number of fuses, and one character for each fuse. */
const SENTINEL = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX';

/** Electron's default fuses, which allow Node programs and options and check nothing. */
const DEFAULT_FUSES = '101100010';

/** The other files of Electron for Linux. */
const FILES = ['LICENSE', 'LICENSES.chromium.html', 'chrome-sandbox', 'icudtl.dat', 'locales/en-US.pak', 'version'];

/** The result of running the packager. */
export interface Packed {
  code: number;
  output: string;
  release: string;
  /** The files that the packager added to the empty download cache. */
  downloads: string[];
  /** The number of attempts to connect to the network, which is blocked. */
  connections: number;
}

/** A workspace to package the compiled app in. */
export interface Workbench {
  /** The folder of the fake Electron. */
  electron: string;
  /** The folder of the compiled app. */
  app: string;
  /** Packages the app for Linux. @param env Additional environment variables. */
  pack(targets: readonly string[], env?: NodeJS.ProcessEnv): Promise<Packed>;
  remove(): Promise<void>;
}

/** Compiles the app and makes a fake Electron to package it with. */
export async function makeWorkbench(): Promise<Workbench> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-packaging-'));
  const app = join(folder, 'app');
  const electron = join(folder, 'electron');
  await Promise.all([buildApp(join(app, 'dist')), makeElectronStandIn(electron)]);
  await copyFile(join(ROOT, 'package.json'), join(app, 'package.json'));
  for (const path of STRAY) {
    await mkdir(dirname(join(app, path)), { recursive: true });
    await writeFile(join(app, path), 'What is beside the compiled app.');
  }
  let runCount = 0;
  return {
    electron,
    app,
    async pack(targets, env = {}) {
      const run = join(folder, String((runCount += 1)));
      const [release, cache] = [join(run, 'release'), join(run, 'cache')];
      await mkdir(cache, { recursive: true });
      const proxy = await openDeadEnd();
      const packager = runPackager(
        ['--linux', ...targets, '--x64', `-c.directories.app=${app}`, `-c.directories.output=${release}`],
        {
          HOME: run,
          PATH: process.env['PATH'],
          TMPDIR: process.env['TMPDIR'],
          XDG_CACHE_HOME: cache,
          ELECTRON_BUILDER_CACHE: cache,
          HTTPS_PROXY: proxy.address,
          HTTP_PROXY: proxy.address,
          BERTH_ELECTRON_DIST: electron,
          ...env,
        },
        ['ignore', 'pipe', 'pipe'],
      );
      const [out, err, [code]] = await Promise.all([
        text(packager.stdout!),
        text(packager.stderr!),
        once(packager, 'close') as Promise<[number]>,
      ]);
      const connections = proxy.close();
      return { code, output: out + err, release, downloads: await readdir(cache), connections };
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Creates a folder with the layout of Electron for Linux and a program that does nothing. */
async function makeElectronStandIn(folder: string): Promise<void> {
  await mkdir(join(folder, 'resources'), { recursive: true });
  for (const name of FILES) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), name);
  }
  const fuses = Buffer.concat([
    Buffer.from(SENTINEL),
    Buffer.from([1, DEFAULT_FUSES.length]),
    Buffer.from(DEFAULT_FUSES),
  ]);
  const program = Buffer.concat([Buffer.from('#!/bin/sh\nexit 0\n# '), fuses]);
  await writeFile(join(folder, 'electron'), program, { mode: 0o755 });
}

/** Starts a proxy that refuses all connections. `close` returns the number of connections. */
async function openDeadEnd(): Promise<{ address: string; close(): number }> {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}`,
    close: () => {
      server.close();
      return connections;
    },
  };
}
