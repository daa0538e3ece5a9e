import { readFile, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { ClientError } from '@berth/client';
import { UsageError } from '@berth/terminal';
import { z } from 'zod';
import { parseServerUrl } from '../settings.ts';
import { findSimilarName } from '../suggestions.ts';

/** The file at the root of a project that says what to publish, and where. It is public, so it never contains a key. */
export const PROJECT_FILE = 'berth.json';

const MAX_FILE_BYTES = 64 * 1024;
const MAX_PATTERNS = 100;

const text = (max: number, rule: string) => z.string(rule).min(1, rule).max(max, rule);

/** True for a path that does not leave its project. */
function isInsideProject(path: string): boolean {
  return !isAbsolute(path) && !/^[a-z]:/i.test(path) && !path.split(/[/\\]/).includes('..');
}

/** The fields of `berth.json`. */
export const Project = z.strictObject({
  folder: text(1_000, 'must be the path of the built site, such as "dist"').refine(
    isInsideProject,
    'must be a path inside the project, without ".."',
  ),
  domain: text(253, 'must be the name of a domain, such as "blog"').optional(),
  ignore: z
    .array(
      text(500, 'must be a list of patterns of at most 500 characters'),
      'must be a list of patterns, as in .gitignore',
    )
    .max(MAX_PATTERNS, `must have at most ${MAX_PATTERNS} patterns`)
    .optional(),
  build: text(1_000, 'must be a command of at most 1,000 characters').optional(),
  server: text(1_000, 'must be the address of a server').optional(),
});
export type Project = z.infer<typeof Project>;

const FIELDS = Object.keys(Project.shape);
const SECRET_FIELD = /key|token|secret|password/i;

/**
 * Reads the project file of the working folder.
 *
 * @returns `null` if the folder has no such file. @throws UsageError that names the field and what it must be.
 */
export async function findProject(): Promise<Project | null> {
  const size = await stat(PROJECT_FILE).then(
    (stats) => stats.size,
    () => null,
  );
  if (size === null) return null;
  if (size > MAX_FILE_BYTES) throw new UsageError(`${PROJECT_FILE} is too large. It must have at most 64 kB`);
  const source = await readFile(PROJECT_FILE, 'utf8').catch((error: Error) => {
    throw new UsageError(`${PROJECT_FILE} cannot be read: ${error.message}`, { cause: error });
  });
  return parseProject(source);
}

/** Parses the text of a project file. @throws UsageError that names the field and what it must be. */
export function parseProject(source: string): Project {
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch (error) {
    throw new UsageError(`${PROJECT_FILE} is not valid JSON: ${(error as Error).message}`, { cause: error });
  }
  const parsed = Project.safeParse(value);
  if (!parsed.success) throw new UsageError(`${PROJECT_FILE}: ${faultOf(parsed.error.issues[0]!)}`);
  if (parsed.data.server !== undefined) parseServerUrl(parsed.data.server);
  return parsed.data;
}

function faultOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') return unknownField(issue.keys[0]!);
  if (issue.path.length === 0) return 'the file must contain one object, such as { "folder": "dist" }';
  return `${issue.path[0]!.toString()} ${issue.message}`;
}

function unknownField(field: string): string {
  if (SECRET_FIELD.test(field))
    return `"${field}" does not belong in this file, which others can read. Use berth login`;
  const name = JSON.stringify(field.slice(0, 40));
  const similar = findSimilarName(field.slice(0, 40), FIELDS);
  const hint = similar === null ? `The fields are ${FIELDS.join(', ')}` : `Did you mean "${similar}"?`;
  return `there is no field ${name}. ${hint}`;
}

/** Returns what is not published of a folder: nothing but the lines of `.berthignore` if the folder was typed. */
export function ignoredPatterns(project: Project | null): string[] | undefined {
  return project === null ? undefined : [...(project.ignore ?? []), `/${PROJECT_FILE}`];
}

/**
 * Returns the folder of a project, relative to the working folder.
 *
 * @param mayBeMissing Whether the folder may be created later. Default: false.
 * @throws ClientError `folder` if the folder does not exist, or a link leads out of the project.
 */
export async function findProjectFolder({ folder, build }: Project, mayBeMissing = false): Promise<string> {
  const target = await realpath(folder).catch(() => null);
  if (target === null) {
    if (mayBeMissing) return join(folder);
    const hint = build === undefined ? `Build the site, or change ${PROJECT_FILE}` : `Build the site first: ${build}`;
    throw new ClientError('folder', `The folder ${folder} does not exist. ${hint}`);
  }
  const path = relative(await realpath('.'), target);
  if (path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path))
    throw new ClientError('folder', `The folder ${folder} is a link that leads out of the project. Use berth <folder>`);
  return join(folder);
}
