import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const SOURCES = join(import.meta.dirname, '../../src');

/** Finds the files below a folder that import code of Electron. Imports of types do not count. */
function loading(folder: string): string[] {
  return readdirSync(join(SOURCES, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name))
    .filter((path) => {
      const source = readFileSync(join(SOURCES, path), 'utf8');
      return /^(import|export) (?!type )[^;]*'electron(\/\w+)?'|import\(\s*'electron['/]|require\(/m.test(source);
    });
}

it('only the preload and one file of the main process import Electron (desktop §3)', () => {
  expect(loading('main')).toStrictEqual(['main/index.ts']);
  expect(loading('preload')).toStrictEqual(['preload/index.ts']);
  expect([...loading('shared'), ...loading('renderer')]).toStrictEqual([]);
});

it('the main process uses no file: address, opens no port and opens no path in another program (desktop §6)', () => {
  for (const name of readdirSync(join(SOURCES, 'main'), { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts')) continue;
    const source = readFileSync(join(SOURCES, 'main', name), 'utf8');
    expect([
      name,
      source.match(/loadFile|file:\/\/|openPath|createServer|\.listen\(\d|executeJavaScript/),
    ]).toStrictEqual([name, null]);
  }
});
