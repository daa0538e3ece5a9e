import { execFile, spawnSync } from 'node:child_process';
import { mkdir, readFile, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './checkout.ts';
import { parseDockerfile, parsePairs, type Stage } from './dockerfile.ts';

/** What the Dockerfile made in a folder. */
export interface BuiltImage {
  /** The folder that is the root of the image. */
  root: string;
  workdir: string;
  env: Record<string, string>;
  /** The words of `CMD`. */
  command: string[];
  /** The words of `HEALTHCHECK`. */
  healthcheck: string[];
  /** The user that runs the commands after `USER`: the `node` of the image, or this user if it may not change users. */
  user: { uid: number; gid: number };
}

/** The user `node` of the official images. */
const NODE_USER = 1000;
/** Folders of the image that commands and settings name by their absolute path. */
const ABSOLUTE = /(?<=^|[\s"'=])\/(?=(?:app|data|usr\/local\/bin)(?:\/|\b))/g;

/**
 * Runs the instructions of the Dockerfile, each stage in its own folder, with the Node and the npm of this machine instead of
 * those of the base image.
 *
 * @param context The folder with the context of the build.
 * @param work An empty folder without spaces in its path.
 * @param only The name of the stage to build. Default: all stages.
 * @returns The last stage that was built.
 * @throws Error if a command fails, or if an instruction is unknown.
 */
export async function buildImage(
  context: string,
  work: string,
  { args = {}, only }: { args?: Record<string, string>; only?: string } = {},
): Promise<BuiltImage> {
  const stages = parseDockerfile(await readFile(join(ROOT, 'Dockerfile'), 'utf8'));
  const images = new Map<string, BuiltImage>();
  for (const [index, stage] of stages.entries())
    if (only === undefined || stage.name === only)
      images.set(stage.name, await buildStage(stage, { context, images, args, root: join(work, String(index)) }));
  return [...images.values()].at(-1)!;
}

interface Build {
  context: string;
  images: Map<string, BuiltImage>;
  args: Record<string, string>;
  root: string;
}

async function buildStage(stage: Stage, { context, images, args, root }: Build): Promise<BuiltImage> {
  const user = canChangeUser(dirname(root)) ? { uid: NODE_USER, gid: NODE_USER } : ownUser();
  const image: BuiltImage = { root, workdir: '/', env: {}, command: [], healthcheck: [], user };
  let runAs: BuiltImage['user'] | undefined;
  for (const { name, text } of stage.instructions) {
    const inImage = (path: string) => join(root, isAbsolute(path) ? path : join(image.workdir, path));
    if (name === 'WORKDIR') await mkdir(inImage((image.workdir = text)), { recursive: true });
    else if (name === 'ENV') Object.assign(image.env, parsePairs(text));
    else if (name === 'ARG') Object.assign(image.env, { ...parsePairs(text), ...args });
    else if (name === 'COPY') {
      const [, from, words] = /^(?:--from=(\S+) )?(.+)$/.exec(text)!;
      const paths = words!.split(' ');
      const source = from ? images.get(from)!.root : context;
      for (const path of paths.slice(0, -1)) await copy(join(source, path), inImage(paths.at(-1)!));
    } else if (name === 'RUN') await runCommand(image, text, runAs);
    else if (name === 'USER') runAs = user;
    else if (name === 'CMD') image.command = JSON.parse(text) as string[];
    else if (name === 'HEALTHCHECK') image.healthcheck = JSON.parse(text.replace(/^.* CMD /, '')) as string[];
    else if (!['LABEL', 'VOLUME', 'EXPOSE'].includes(name)) throw new Error(`${name} is not known to this test`);
  }
  return image;
}

/** Copies a file, or the content of a folder, into a folder. */
async function copy(source: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const content = (await stat(source)).isDirectory() ? `${source}/.` : source;
  await promisify(execFile)('cp', ['-RP', content, folder]);
}

/**
 * Runs a shell command of the image. `/app`, `/data` and `/usr/local/bin` become folders below its root, and
 * the packages come from the store of this user.
 */
async function runCommand(image: BuiltImage, text: string, user: BuiltImage['user'] | undefined): Promise<void> {
  await mkdir(join(image.root, 'usr/local/bin'), { recursive: true });
  const owner = `-o ${image.user.uid} -g ${image.user.gid}`;
  const command = inRoot(image, text.replaceAll(/--(?:mount|store-dir)=\S+ /g, '')).replaceAll(
    '-o node -g node',
    owner,
  );
  await promisify(execFile)('sh', ['-c', command], {
    cwd: join(image.root, image.workdir),
    env: environmentOf(image),
    ...user,
  });
}

/** Returns the environment of the image, whose paths lead below its root. */
export function environmentOf(image: BuiltImage): Record<string, string> {
  const env = Object.fromEntries(Object.entries(image.env).map(([name, value]) => [name, inRoot(image, value)]));
  const path = [join(image.root, 'usr/local/bin'), dirname(process.execPath), process.env['PATH']].join(':');
  return { ...(process.env as Record<string, string>), ...env, PATH: path };
}

function inRoot({ root }: BuiltImage, text: string): string {
  return text.replaceAll(ABSOLUTE, `${root}/`);
}

function ownUser(): BuiltImage['user'] {
  return { uid: process.getuid!(), gid: process.getgid!() };
}

/** Only root can run commands as another user, and that user has to reach the folder and Node. */
function canChangeUser(folder: string): boolean {
  if (process.getuid?.() !== 0) return false;
  const user = { uid: NODE_USER, gid: NODE_USER };
  return [folder, process.execPath].every((path) => spawnSync('test', ['-x', path], user).status === 0);
}
