// `npm run build:server` bundles the server and the operator's program into `apps/api/dist`, from where `npm start` runs them. With
// `--if-changed`, it does nothing if no source has changed since the last build. docs/adr/0043-bundled-server.md says why.
import { chmod, readFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { buildFrom, buildIfChanged } from '@berth/packaging/built-from';
import type { Plugin } from 'rolldown';

const API = join(import.meta.dirname, '../../../apps/api');
const DIST = join(API, 'dist');

/** Everything that the server is built from. */
const SOURCES = [
  '{apps/api,packages/{contract,core,serving,terminal}}/{src/**/*,package.json}',
  'packages/server-bundle/src/**/*',
  'pnpm-lock.yaml',
];

/**
 * Bundles the server.
 *
 * @param dist An absolute path beside `apps/api/src`, because paths in the sources are relative to there. Its content is replaced.
 */
export async function buildServer(dist: string = DIST): Promise<void> {
  await buildFrom(SOURCES, dist, () => bundle(dist));
}

async function bundle(dist: string): Promise<void> {
  const { build } = await import('rolldown');
  await build({
    cwd: API,
    platform: 'node',
    input: { main: 'src/main.ts', operator: 'src/operator/main.ts' },
    plugins: [filesByUrl(), nativeSpread(), withoutUnusedTables(), latin1()],
    // Parts of MikroORM that Berth does not use ask for packages that may be missing.
    checks: { emptyImportMeta: false },
    output: {
      dir: dist,
      cleanDir: true,
      // An import of node:http in an ES module makes Node load undici, which takes 12 MiB and 0.1 s. A call of require does not.
      format: 'cjs',
      entryFileNames: '[name].cjs',
      chunkFileNames: '[name].cjs',
      // MikroORM and the log use the names of classes.
      keepNames: true,
      comments: false,
    },
  });
  await chmod(join(dist, 'operator.cjs'), 0o755);
}

/** Copies each file whose URL the sources take, and bundles it if it is a program. */
function filesByUrl(): Plugin {
  return {
    name: 'files-by-url',
    transform: {
      filter: { id: /\.ts$/, code: "new URL('./" },
      async handler(code, module) {
        const named = [...code.matchAll(/new URL\('(\.\/[^']+)', import\.meta\.url\)/g)];
        let bundled = code;
        for (const [expression, name] of named) {
          const path = join(dirname(module), name!);
          const isProgram = extname(path) === '.ts';
          const fileName = isProgram ? `${basename(path, '.ts')}.cjs` : basename(path);
          if (isProgram) this.emitFile({ type: 'chunk', id: path, fileName });
          else this.emitFile({ type: 'asset', fileName, source: await readFile(path) });
          bundled = bundled.replace(expression, `new URL('./${fileName}', import.meta.url)`);
        }
        return bundled;
      },
    },
  };
}

/**
 * tRPC is published with a helper in place of the spread of objects. It copies members one by one, which takes 4 % of the time of an
 * API request.
 */
function nativeSpread(): Plugin {
  const begin = 'function _objectSpread2(e) {';
  return {
    name: 'native-spread',
    transform: {
      filter: { code: 'function _objectSpread2(' },
      handler(code, module) {
        const start = code.indexOf(begin);
        const end = code.indexOf('\n}', start);
        if (start < 0 || end < 0) this.error(`The helper for spreads in ${module} has changed.`);
        return `${code.slice(0, start)}function _objectSpread2(target, ...parts) {\n\treturn Object.assign(target, ...parts);${code.slice(end)}`;
      },
    },
  };
}

/** Large modules that packages load and the server does not use, and what replaces them. */
const UNUSED_TABLES: readonly [module: RegExp, replacement: string][] = [
  // Express and trpc-to-openapi read bodies in other charsets with it. Berth reads bodies itself.
  [/\/iconv-lite\/lib\/index\.js$/, 'module.exports = {};'],
  // Messages in fifty languages. Those of Berth are in English.
  [/\/zod\/v4\/locales\/index\.js$/, "export { default as en } from './en.js';"],
];

/** Leaves out {@link UNUSED_TABLES}, whose text every process would keep in memory. */
function withoutUnusedTables(): Plugin {
  const unseen = new Set(UNUSED_TABLES);
  return {
    name: 'without-unused-tables',
    load(id) {
      const table = UNUSED_TABLES.find(([module]) => module.test(id));
      if (!table) return null;
      unseen.delete(table);
      return table[1];
    },
    buildEnd() {
      for (const [module] of unseen)
        this.error(`No module is ${module.source} any more. Remove it from the unused tables.`);
    },
  };
}

/** Escapes characters outside of Latin-1: one of them makes V8 keep the whole text of a file with two bytes for each character. */
function latin1(): Plugin {
  return {
    name: 'latin1',
    // The hook `renderChunk` is too early: Rolldown prints the code again after it, without the escapes.
    generateBundle(_options, files) {
      for (const file of Object.values(files)) if (file.type === 'chunk') file.code = escapeBeyondLatin1(file.code);
    },
  };
}

function escapeBeyondLatin1(code: string): string {
  // oxlint-disable-next-line no-control-regex -- Latin-1 starts with control characters.
  return code.replaceAll(/[^\x00-\xff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

if (import.meta.main) {
  if (process.argv.includes('--if-changed')) await buildIfChanged('the server', SOURCES, DIST, buildServer);
  else await buildServer();
}
