// Installs the dependencies. It runs on the Node of the machine, before anything is installed, so it uses nothing but Node.
//
//   node scripts/setup.mjs            everything, for tests and development
//   node scripts/setup.mjs server     what the server, its console and the command line that it hands out need to build and run
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PNPM = 'pnpm@12.21.0';
const OLDEST_NODE = 20;
/** Contains the id of the process that sets up this folder. */
const LOCK = join(ROOT, 'dist/setup.lock');
/** How often a set-up checks whether another one has ended, in milliseconds. */
const CHECK_EVERY_MS = 200;
/** The root brings Node. `...` adds the packages of the workspace that a package depends on. */
const SERVER_PACKAGES = ['berth', '@berth/server-bundle...', '@berth/cli...', '@berth/web...'];

const isServerOnly = process.argv[2] === 'server';
if (isServerOnly) refuseForeignRoot();
refuseOldNode();
lock();
install(isServerOnly && !hasTestTools() ? 'server' : 'everything');
if (isServerOnly)
  buildChanged('packages/server-bundle/src/build.ts', 'packages/cli/build/package.ts', 'apps/web/build/build.ts');

/** Files that root writes here could not be read or replaced by the owner of the folder. */
function refuseForeignRoot() {
  const { uid } = statSync(ROOT);
  if (process.getuid?.() !== 0 || uid === 0) return;
  const user = spawnSync('id', ['-un', String(uid)], { encoding: 'utf8' }).stdout?.trim() || String(uid);
  fail(`This folder belongs to the user ${user}. Run npm start as ${user}, not as root.`);
}

function refuseOldNode() {
  if (Number(process.versions.node.split('.')[0]) >= OLDEST_NODE) return;
  fail(`Berth needs Node ${OLDEST_NODE} or newer to install itself. This is Node ${process.versions.node}.`);
}

/** Waits until no other process sets up this folder. Two installations at once can remove what the other one has added. */
function lock() {
  mkdirSync(join(ROOT, 'dist'), { recursive: true });
  for (let hasSaid = false; !createLock(); hasSaid = true) {
    if (!hasSaid) say(`Another command is setting up this folder. Waiting for it. If none is running, remove ${LOCK}.`);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, CHECK_EVERY_MS);
  }
  process.on('exit', () => rmSync(LOCK, { force: true }));
}

function createLock() {
  try {
    writeFileSync(LOCK, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    if (!isLockHeld()) rmSync(LOCK, { force: true });
    return false;
  }
}

function isLockHeld() {
  try {
    process.kill(Number(readFileSync(LOCK, 'utf8')), 0);
    return true;
  } catch (error) {
    // A process of another user cannot be signalled. Without a process, or without the file, there is no set-up.
    return error.code === 'EPERM';
  }
}

/** An installation of the server alone would remove what the tests need. */
function hasTestTools() {
  const file = join(ROOT, 'node_modules/.modules.yaml');
  if (!existsSync(file)) return false;
  return /^ *"?devDependencies"?: true/m.test(readFileSync(file, 'utf8'));
}

function install(what) {
  if (!existsSync(join(ROOT, 'node_modules')))
    say(
      what === 'server'
        ? 'Installing the server, Node and PostgreSQL (about 350 MB). This can take a minute.'
        : 'Installing the dependencies, Node and PostgreSQL (about 700 MB). This can take a minute.',
    );
  const selection = what === 'server' ? ['--prod', ...SERVER_PACKAGES.map((name) => `--filter-prod=${name}`)] : [];
  const quiet = ['--reporter=append-only', '--loglevel=warn'];
  run('npx', [
    '--yes',
    '--prefer-offline',
    PNPM,
    'install',
    '--frozen-lockfile',
    '--prefer-offline',
    ...quiet,
    ...selection,
  ]);
}

/** Builds the server and what it hands out, if its sources have changed since the last build. */
function buildChanged(...programs) {
  for (const program of programs) run(join(ROOT, 'node_modules/.bin/node'), [join(ROOT, program), '--if-changed']);
}

/** Runs a program whose output goes to standard error, because standard output is for the log of the server. */
function run(program, words) {
  const { status, signal, error } = spawnSync(program, words, { cwd: ROOT, stdio: ['ignore', 2, 2] });
  if (error) fail(`${program} cannot be run: ${error.message}`);
  if (signal) process.kill(process.pid, signal);
  if (status !== 0) process.exit(status ?? 1);
}

function say(text) {
  process.stderr.write(`${text}\n`);
}

function fail(text) {
  say(text);
  process.exit(1);
}
