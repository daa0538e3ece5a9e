import { execFileSync } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildApp } from '../../build/build.ts';

const ALLOWED_MODULES = new Set([...builtinModules, ...builtinModules.map((name) => `node:${name}`), 'electron']);

let dist: string;
const files = new Map<string, string>();
beforeAll(async () => {
  dist = await mkdtemp(join(tmpdir(), 'berth-bundle-'));
  await buildApp(dist);
  for (const entry of await readdir(dist, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    files.set(path.slice(dist.length + 1).replaceAll('\\', '/'), await readFile(path, 'latin1'));
  }
});
afterAll(() => rm(dist, { recursive: true, force: true }));

const code = (part: string) => [...files].filter(([path]) => path.startsWith(`${part}/`) && /\.c?js$/.test(path));

/** The modules that a script imports by name. Relative imports are left out. */
function importedModules(text: string): string[] {
  const names = text.matchAll(
    /^(?:import|export)\b[^'"\n]*?['"]([^'"]+)['"]|\b(?:__)?require\(\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm,
  );
  return [...new Set([...names].map((match) => (match[1] ?? match[2] ?? match[3])!))].filter(
    (name) => !name.startsWith('.'),
  );
}

it('the main process imports only Electron and Node; its bundle contains everything else (desktop §4)', () => {
  const importedNames = code('main').flatMap(([, text]) => importedModules(text));
  expect(importedNames).toContain('electron');
  expect(importedNames).toContain('node:path');
  expect(importedNames.filter((name) => !ALLOWED_MODULES.has(name))).toEqual([]);
});

it('the preload is one script whose only `require` is Electron (desktop §3)', () => {
  const scripts = code('preload');
  expect(scripts.map(([path]) => path)).toEqual(['preload/index.cjs']);
  expect(importedModules(scripts[0]![1])).toEqual(['electron']);
  expect(scripts[0]![1].match(/\brequire\b/g)).toHaveLength(1);
});

it('the code of the page imports no package by its name', () => {
  expect(code('renderer').flatMap(([, text]) => importedModules(text))).toEqual([]);
});

it('the updater is a separate chunk of the bundle that is loaded on demand (desktop §2)', () => {
  const updater = code('main').find(
    ([path, text]) =>
      path.startsWith('main/assets/') && text.includes('app-update.yml') && text.includes('quitAndInstall'),
  );
  expect(updater?.[0]).toMatch(/^main\/.+/);
  const start = files.get('main/index.js')!;
  const name = updater![0].slice('main/'.length);
  expect(start).toContain(`import("./${name}")`);
  for (const [, text] of code('main')) expect(text).not.toMatch(new RegExp(`^import .*${name}"`, 'm'));
});

it('the program of the engine is a script of its own, which imports no chunk on demand and no Electron (R8)', () => {
  const engine = files.get('main/engine.js')!;
  // A name in a variable is allowed: the zip library imports codecs that its user registers, and this program registers none.
  expect(engine).not.toMatch(/\bimport\(\s*(?:\/\*[^*]*\*\/\s*)*["'`]/);
  expect(importedModules(engine)).not.toContain('electron');
});

it('the main process and the updater run with only Electron installed', async () => {
  const separateDir = await mkdtemp(join(tmpdir(), 'berth-alone-'));
  try {
    await cp(join(dist, 'main'), join(separateDir, 'main'), { recursive: true });
    const chunks = code('main').flatMap(([path, text]) =>
      text.includes('quitAndInstall') && path.startsWith('main/assets/') ? [path] : [],
    );
    const output = execFileSync(process.execPath, [join(import.meta.dirname, 'run-main.ts'), separateDir, ...chunks], {
      encoding: 'utf8',
    });
    const name = process.platform === 'darwin' ? [] : ['name'];
    expect(output.trim().split('\n')).toEqual(['sandbox', ...name, 'scheme', 'quit', 'updater: function']);
  } finally {
    await rm(separateDir, { recursive: true, force: true });
  }
});

it('each state of the tray has icons for Windows, for the larger panels of Linux, and as templates for macOS (R13)', async () => {
  const sizes = {
    '': 16,
    '@1.25x': 20,
    '@1.5x': 24,
    '@2x': 32,
    Large: 24,
    'Large@2x': 48,
    Template: 16,
    'Template@2x': 32,
  };
  const icons = ['idle', 'working', 'paused', 'offline', 'error'].flatMap((status) =>
    Object.entries(sizes).map(([variant, size]) => ({ name: `${status}${variant}.png`, size })),
  );
  const names = icons.map(({ name }) => name);
  expect((await readdir(join(dist, 'assets/tray'))).toSorted()).toEqual(names.toSorted());
  for (const { name, size } of icons) {
    const png = await readFile(join(dist, 'assets/tray', name));
    expect(png.toString('latin1', 1, 4)).toBe('PNG');
    expect([png.readUInt32BE(16), png.readUInt32BE(20)], name).toEqual([size, size]);
  }
});

it('the bundle is smaller than 4 MB, and the page smaller than 1 MB', async () => {
  const sizes = await Promise.all(
    [...files.keys()].map(async (path) => ({ path, size: (await stat(join(dist, path))).size })),
  );
  const totalBytes = (part: string) =>
    sizes.filter(({ path }) => path.startsWith(part)).reduce((all, { size }) => all + size, 0);
  expect(totalBytes('')).toBeLessThan(4e6);
  expect(totalBytes('renderer/')).toBeLessThan(1e6);
});
