import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import recorded from '../../../fixtures/frozen/client.json' with { type: 'json' };
import * as client from '../src/index.ts';

/** The surface that other programs depend on. Every recorded entry must stay. */
const SURFACE: Record<keyof typeof recorded, () => string[]> = {
  exports: () => Object.keys(client),
  types: readTypes,
  events: () => [...sourceOf('*/{events,snapshot}.ts').matchAll(/type: '([a-z]+)'/g)].map(([, type]) => type!),
};

it.each(Object.keys(SURFACE) as (keyof typeof recorded)[])('the client has all recorded %s', (family) => {
  const current = new Set(SURFACE[family]());
  expect(recorded[family].filter((name) => !current.has(name))).toEqual([]);
});

/** Lists every type that the entry point exports, by name or with `export type *`. */
function readTypes(): string[] {
  const indexSource = sourceOf('index.ts');
  const exportedNames = [...indexSource.matchAll(/\{([^}]*)\}/g)].flatMap(([, names]) =>
    names!.split(',').flatMap((name) => /\btype (\w+)/.exec(name)?.[1] ?? []),
  );
  const listedTypes = [...indexSource.matchAll(/export type \{([^}]*)\}/g)].flatMap(([, names]) =>
    names!.split(',').map((name) => name.trim()),
  );
  const starred = [...indexSource.matchAll(/export type \* from '\.\/(.*)'/g)].flatMap(([, file]) =>
    [...sourceOf(file!).matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name]) => name!),
  );
  return [...exportedNames, ...listedTypes, ...starred].filter((name) => name !== '');
}

function sourceOf(pattern: string): string {
  const cwd = join(import.meta.dirname, '../src');
  return globSync(pattern, { cwd })
    .map((file) => readFileSync(join(cwd, file), 'utf8'))
    .join('\n');
}
