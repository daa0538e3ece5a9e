import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The version that runs beside this one during an upgrade. A release replaces it; see CONTRIBUTING.md. */
export const LAST_RELEASE = { version: '0.1.0', commit: '435bcd39a1307d5fc5f7d8ffec93b0bf44e5548e' };

const REPOSITORY = join(import.meta.dirname, '../../../..');
/** The folders of the packages that a server needs. */
const WORKSPACE_FOLDERS = ['apps', 'packages'];

/** The source of the last release, with installed dependencies. */
export interface ReleasedSource {
  /** The program that starts a server. */
  main: string;
  /** The program of the operator's commands. */
  operator: string;
  remove(): Promise<void>;
}

/** Returns why the history of the repository does not contain the last release, and what to do; `null` if it does. */
export async function findLastRelease(): Promise<string | null> {
  const { version, commit } = LAST_RELEASE;
  return run('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: REPOSITORY }).then(
    () => null,
    () =>
      `The commit ${commit} of version ${version} is not in this repository. Clone it with git, and fetch the whole history: ` +
      'git fetch --unshallow',
  );
}

/**
 * Takes the source of the last release out of the history of the repository. Its dependencies are those that are installed
 * here, so both versions must be able to use them.
 *
 * @throws Error if the history does not contain the commit.
 */
export async function extractLastRelease(): Promise<ReleasedSource> {
  const { version, commit } = LAST_RELEASE;
  const missing = await findLastRelease();
  if (missing !== null) throw new Error(missing);
  const folder = await mkdtemp(join(tmpdir(), `berth-${version}-`));
  const archive = join(folder, 'source.tar');
  await run('git', ['archive', '--output', archive, commit, ...WORKSPACE_FOLDERS, 'package.json'], { cwd: REPOSITORY });
  await run('tar', ['-x', '-f', archive, '-C', folder]);
  await rm(archive);
  await linkDependencies(folder);
  return {
    main: join(folder, 'apps/api/src/main.ts'),
    operator: join(folder, 'apps/api/src/operator/main.ts'),
    remove: () => rm(folder, { recursive: true }),
  };
}

/** Copies the links to dependencies. They are relative, so packages of the workspace resolve to the extracted ones. */
async function linkDependencies(folder: string): Promise<void> {
  await symlink(join(REPOSITORY, 'node_modules'), join(folder, 'node_modules'));
  for (const parent of WORKSPACE_FOLDERS)
    for (const name of await readdir(join(folder, parent))) {
      const installed = join(REPOSITORY, parent, name, 'node_modules');
      if (existsSync(installed))
        await cp(installed, join(folder, parent, name, 'node_modules'), { recursive: true, verbatimSymlinks: true });
    }
}
