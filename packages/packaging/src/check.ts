// `npm run check:packages` checks the tarballs of `npm run pack`: publint judges the manifests and files, and Are The Types Wrong
// resolves the types as compilers do.
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

const ROOT = join(import.meta.dirname, '../../..');

/** Problems of a package for ES modules only, whose users need a compiler that resolves `exports`. */
const ACCEPTED_RESOLUTIONS = new Set(['node10', 'node16-cjs']);

async function findTypeProblems(tarball: Uint8Array): Promise<string[]> {
  const result = await checkPackage(createPackageFromTarballData(tarball));
  if (result.types === false) return [];
  return result.problems
    .filter((problem) => !('resolutionKind' in problem && ACCEPTED_RESOLUTIONS.has(problem.resolutionKind)))
    .map((problem) => JSON.stringify(problem));
}

async function findManifestProblems(tarball: ArrayBuffer): Promise<string[]> {
  const { messages, pkg } = await publint({ pack: { tarball }, strict: true });
  return messages.map((message) => formatMessage(message, pkg) ?? message.code);
}

for await (const name of glob('dist/packages/*.tgz', { cwd: ROOT })) {
  const bytes = new Uint8Array(await readFile(join(ROOT, name)));
  const problems = [...(await findManifestProblems(bytes.buffer)), ...(await findTypeProblems(bytes))];
  for (const problem of problems) process.stderr.write(`${name}: ${problem}\n`);
  if (problems.length > 0) process.exitCode = 1;
}
