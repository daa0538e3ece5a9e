import { existsSync } from 'node:fs';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join, posix } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');

/** Written by changesets at the first release with changes. */
const CHANGELOG = 'CHANGELOG.md';

/** What a package has besides the fields of its folder: its files, entries and dependencies. */
type BuiltFields = Readonly<Record<string, unknown>> & { files: readonly string[]; engines: { node: string } };

/** The fields of a package.json of the workspace that are published as they are. */
const OWN_FIELDS = ['name', 'version', 'description', 'keywords', 'license', 'type'] as const;

/**
 * Writes `package.json`, `README.md` and `LICENSE` of a package that is published.
 *
 * @param folder The folder of the package, relative to the repository: `packages/cli`.
 * @param dist The folder that is published, an absolute path.
 */
export async function writePackageFiles(folder: string, dist: string, built: BuiltFields): Promise<void> {
  const manifest = await publishedManifest(folder, built);
  const readme = await readFile(join(ROOT, folder, 'README.md'), 'utf8');
  await writeFile(join(dist, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  await writeFile(join(dist, 'README.md'), withAbsoluteLinks(readme, folder, await repositoryAddress()));
  await copyFile(join(ROOT, 'LICENSE'), join(dist, 'LICENSE'));
  const changelog = join(ROOT, folder, CHANGELOG);
  if (existsSync(changelog)) await copyFile(changelog, join(dist, CHANGELOG));
}

async function publishedManifest(folder: string, built: BuiltFields): Promise<object> {
  const own = await readManifest(folder);
  const { author, homepage } = await readManifest('.');
  const repository = await repositoryAddress();
  return {
    ...Object.fromEntries(OWN_FIELDS.map((name) => [name, own[name]])),
    author,
    homepage,
    bugs: { url: `${repository}/issues` },
    repository: { type: 'git', url: `git+${repository}.git`, directory: folder },
    ...built,
    files: [...built.files, CHANGELOG],
    publishConfig: { access: 'public' },
  };
}

/**
 * Returns the address of the repository: that of the GitHub workflow that runs, because a package with provenance must name it;
 * otherwise the address in `package.json`.
 */
async function repositoryAddress(): Promise<string> {
  const { GITHUB_SERVER_URL = 'https://github.com', GITHUB_REPOSITORY } = process.env;
  if (GITHUB_REPOSITORY) return `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}`;
  return (await readManifest('.'))['repository'] as string;
}

async function readManifest(folder: string): Promise<Record<string, unknown>> {
  return JSON.parse(await readFile(join(ROOT, folder, 'package.json'), 'utf8'));
}

/** Makes the relative links of a Markdown text lead to the repository. On a package page, they would lead nowhere. */
export function withAbsoluteLinks(markdown: string, folder: string, repository: string): string {
  return markdown.replace(
    /\]\((?!https?:|#)([^()\s]+)\)/g,
    (_, link: string) => `](${repository}/blob/HEAD/${posix.join(folder, link)})`,
  );
}
