import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parseSync } from 'oxc-parser';

export const ROOT = join(import.meta.dirname, '../../../..');

export interface Import {
  /** Path of the importing file in the repository. */
  from: string;
  /** Path of the imported file, or folder of the imported package, such as `packages/core`. */
  to: string;
  /** Whether the import has no effect when the program runs. */
  isTypeOnly: boolean;
}

/** Folder of each package of the workspace, by name: `@berth/core` is in `packages/core`. */
const PACKAGES = new Map(
  globSync('{packages/*,apps/*,bench,torture}/package.json', { cwd: ROOT }).map((file) => {
    const { name } = JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as { name: string };
    return [name, dirname(file)];
  }),
);

/** Reads all imports within the workspace from source files, benches and torture, without tests. */
export function readImports(): Import[] {
  return globSync(['{packages,apps}/*/src/**/*.{ts,tsx}', 'bench/**/*.ts', 'torture/**/*.ts'], {
    cwd: ROOT,
    exclude: ['**/node_modules'],
  }).flatMap((from) =>
    specifiersOf(from).flatMap(({ specifier, isTypeOnly }) => {
      const to = resolveImport(from, specifier);
      return to === null ? [] : [{ from, to, isTypeOnly }];
    }),
  );
}

function specifiersOf(file: string): { specifier: string; isTypeOnly: boolean }[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const { staticImports, staticExports, dynamicImports } = parseSync(file, text).module;
  return [
    ...staticImports.map(({ moduleRequest, entries }) => ({
      specifier: moduleRequest.value,
      isTypeOnly: entries.length > 0 && entries.every(({ isType }) => isType),
    })),
    ...staticExports
      .flatMap(({ entries }) => entries)
      .flatMap(({ moduleRequest, isType }) =>
        moduleRequest ? [{ specifier: moduleRequest.value, isTypeOnly: isType }] : [],
      ),
    ...dynamicImports.map(({ moduleRequest: { start, end } }) => ({
      specifier: text.slice(start + 1, end - 1),
      isTypeOnly: false,
    })),
  ];
}

/** Returns the file or package folder that a specifier names, or `null` for a package outside the workspace. */
function resolveImport(from: string, specifier: string): string | null {
  if (specifier.startsWith('.')) return relative(ROOT, join(ROOT, dirname(from), specifier));
  return PACKAGES.get(specifier.split('/').slice(0, 2).join('/')) ?? null;
}
