import { execFile } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { buildClientPackage } from '../../build/client-package.ts';

const CLIENT = join(import.meta.dirname, '../..');
const TSC = join(CLIENT, '../../node_modules/typescript/bin/tsc');
const exec = promisify(execFile);

/**
 * Packs the client, and installs it with npm in a folder that has nothing else of the workspace. The dependencies come from the
 * packages that are installed here, so that no registry is needed.
 *
 * @param folder An empty folder outside of the repository.
 */
export async function installClient(folder: string): Promise<void> {
  const dist = join(folder, 'dist');
  await buildClientPackage(dist);
  await exec('npm', ['pack', '--silent', '--pack-destination', folder, dist]);
  const manifest = JSON.parse(readFileSync(join(dist, 'package.json'), 'utf8'));
  const packages = new Map<string, string>();
  for (const name of Object.keys(manifest.dependencies)) addPackage(packages, name, CLIENT);
  addPackage(packages, '@types/node', join(CLIENT, '../..'));
  mkdirSync(join(folder, 'app'));
  writeFileSync(join(folder, 'app/package.json'), JSON.stringify({ type: 'module', private: true }));
  const tarballs = [join(folder, `berth-client-${manifest.version}.tgz`)];
  for (const installed of packages.values()) tarballs.push(await packInstalled(folder, installed));
  const options = ['--offline', '--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund'];
  await exec('npm', ['install', ...options, ...tarballs], { cwd: join(folder, 'app') });
}

/** Packs a package that is installed here. `npm pack` fails for the folders of some packages. */
async function packInstalled(folder: string, installed: string): Promise<string> {
  const copy = mkdtempSync(join(folder, 'dependency-'));
  cpSync(installed, join(copy, 'package'), {
    recursive: true,
    filter: (path) => path !== join(installed, 'node_modules'),
  });
  await exec('tar', ['-czf', `${copy}.tgz`, '-C', copy, 'package']);
  return `${copy}.tgz`;
}

/** Adds a package and its dependencies, each with the folder in which it is installed. */
function addPackage(packages: Map<string, string>, name: string, importer: string): void {
  if (packages.has(name)) return;
  const folder = realpathSync(findPackage(name, importer));
  packages.set(name, folder);
  const { dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  for (const dependency of Object.keys(dependencies)) addPackage(packages, dependency, folder);
}

function findPackage(name: string, importer: string): string {
  for (let folder = importer; ; folder = dirname(folder)) {
    const found = join(folder, 'node_modules', name);
    if (existsSync(found)) return found;
    // The dependencies of the contract, which is bundled, are installed for the contract.
    if (folder === dirname(folder)) return findPackage(name, join(CLIENT, '../contract'));
  }
}

/** The compiler options of a program for Node, and of a page. Both check the types of all packages. */
const COMPILER_OPTIONS = {
  node: { module: 'nodenext', types: ['node'] },
  page: {
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['esnext', 'dom'],
    types: [],
  },
};

/** Compiles programs as a user would. Returns the output of the compiler, which is empty if it found no error. */
export async function compile(
  folder: string,
  kind: keyof typeof COMPILER_OPTIONS,
  files: readonly string[],
): Promise<string> {
  const config = join(folder, `tsconfig.${kind}.json`);
  const compilerOptions = {
    ...COMPILER_OPTIONS[kind],
    target: 'es2024',
    strict: true,
    skipLibCheck: false,
    noEmit: true,
  };
  writeFileSync(config, JSON.stringify({ compilerOptions, files }));
  const { stdout } = await exec(process.execPath, [TSC, '-p', config], { cwd: folder }).catch(
    (failure: unknown) => failure as { stdout: string },
  );
  return stdout;
}

/** Copies a program of `programs`. */
export function copyProgram(folder: string, name: string): void {
  copyFileSync(join(import.meta.dirname, 'programs', name), join(folder, name));
}
