import { execFile } from 'node:child_process';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createClient } from '@hey-api/openapi-ts';
import type { Document } from '@berth/testing/open-api';
import openapiTypescript, { astToString } from 'openapi-typescript';
import ts from 'typescript';

const run = promisify(execFile);
const PACKAGE = new URL('../', import.meta.url);
/** Only programs inside the package find the packages that generated clients import. */
const FOLDER = new URL('.generated/', PACKAGE);

/** The strictest options that a user of a generated client may have set. */
const COMPILER_OPTIONS = {
  target: 'es2024',
  lib: ['esnext', 'dom', 'dom.iterable'],
  module: 'esnext',
  moduleResolution: 'bundler',
  types: ['node'],
  typeRoots: ['../../../node_modules/@types'],
  strict: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  verbatimModuleSyntax: true,
  allowImportingTsExtensions: true,
  rewriteRelativeImportExtensions: true,
  noEmitOnError: true,
  rootDir: '.',
  outDir: 'compiled',
};

type Generate = (document: Document, folder: string) => Promise<unknown>;

/** The generators, by the name of the program that uses their client. */
export const GENERATORS: Record<string, Generate> = {
  'openapi-fetch': async (document, folder) => {
    const blob = ts.factory.createTypeReferenceNode('Blob');
    const types = await openapiTypescript(JSON.stringify(document), {
      // The documented way to send files: by default, the type of binary data is a string.
      transform: ({ format }) => (format === 'binary' ? blob : undefined),
    });
    await mkdir(folder, { recursive: true });
    await writeFile(`${folder}/schema.ts`, astToString(types));
  },
  'hey-api': (document, path) =>
    createClient({
      input: { ...document },
      output: { path, module: { extension: '.ts' } },
      logs: { level: 'silent', file: false },
    }),
};

/**
 * Generates a client with every generator from every document, and compiles it with its program.
 *
 * @returns The compiled programs, by generator, in the order of the documents.
 * @throws if a generator fails, or with the output of the compiler if a client or a program is not valid.
 */
export async function generateClients(documents: readonly Document[]): Promise<Record<string, URL[]>> {
  await rm(FOLDER, { recursive: true, force: true });
  const files: string[] = [];
  for (const [generator, generate] of Object.entries(GENERATORS))
    for (const document of documents) {
      const folder = new URL(folderOf(generator, document), FOLDER);
      await generate(structuredClone(document), fileURLToPath(new URL('client', folder)));
      for (const file of [`${generator}.ts`, 'outcome.ts'])
        await cp(new URL(`programs/${file}`, PACKAGE), new URL(file, folder));
      files.push(`${folderOf(generator, document)}${generator}.ts`);
    }
  await writeFile(new URL('package.json', FOLDER), '{ "type": "module" }');
  await writeFile(new URL('tsconfig.json', FOLDER), JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files }));
  await compile();
  const programOf = (generator: string, document: Document) =>
    new URL(`compiled/${folderOf(generator, document)}${generator}.js`, FOLDER);
  return Object.fromEntries(
    Object.keys(GENERATORS).map((generator) => [generator, documents.map((each) => programOf(generator, each))]),
  );
}

const folderOf = (generator: string, { openapi }: Document) => `${generator}-${openapi}/`;

async function compile(): Promise<void> {
  const compiler = fileURLToPath(new URL('node_modules/typescript/bin/tsc', PACKAGE));
  try {
    await run(process.execPath, [compiler, '--project', fileURLToPath(FOLDER)], { maxBuffer: 2 ** 24 });
  } catch (error) {
    throw new Error(`The generated clients are not valid:\n${(error as { stdout: string }).stdout}`, { cause: error });
  }
}
