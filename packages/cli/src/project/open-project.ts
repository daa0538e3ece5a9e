import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { ClientError } from '@berth/client';
import { UsageError } from '@berth/terminal';
import { Declined, type ErrorContext } from '../failure.ts';
import type { Session } from '../session.ts';
import { chooseKey, formatServer, parseServerUrl } from '../settings.ts';
import { findProject, findProjectFolder, type Project, PROJECT_FILE } from './project-file.ts';

/** What to publish, and the session for the server to which it goes. */
export interface Source {
  session: Session;
  folder: string;
  /** The project file that names the folder; `null` if the folder was typed. */
  project: Project | null;
}

/**
 * Returns the folder that was typed, or the folder of `berth.json` if none was typed.
 *
 * @param errorContext Receives the server of `berth.json`, for error messages.
 * @param options.build Whether to run the build command of `berth.json` first.
 * @param options.mayBeMissing Whether the folder may be created later.
 * @throws UsageError without a folder and `berth.json`, and if the server in it must not be used; ClientError `folder`.
 */
export async function openSource(
  session: Session,
  errorContext: ErrorContext,
  typed: string | undefined,
  { build = false, mayBeMissing = false }: { build?: boolean | undefined; mayBeMissing?: boolean } = {},
): Promise<Source> {
  if (typed !== undefined) {
    if (build) throw new UsageError(`--build runs the command of ${PROJECT_FILE}. Omit the folder to use both`);
    return { session, folder: typed, project: null };
  }
  const project = await findProject();
  if (project === null)
    throw new UsageError(
      'The folder is missing. Name it, as in "berth ./dist", or create a berth.json with berth init',
    );
  const projectSession = await useServerOf(project, session, errorContext);
  if (build) await runBuild(project, session);
  return { session: projectSession, folder: await findProjectFolder(project, mayBeMissing), project };
}

/** Returns a session for the domain commands: for the server of `berth.json` if there is one. */
export async function openProject(
  session: Session,
  errorContext: ErrorContext,
): Promise<{ session: Session; project: Project | null }> {
  const project = await findProject();
  return { session: project === null ? session : await useServerOf(project, session, errorContext), project };
}

/**
 * Returns a session for the server of a project. `--server` and `BERTH_SERVER` override that server.
 *
 * Anyone can write an address into a project, and the folder and the key are sent to it. So another server than the chosen one is
 * used only if a key for exactly this server is stored, or if the user agrees. `--yes` is no such consent.
 *
 * @throws UsageError without a stored key and a terminal; Declined.
 */
async function useServerOf(project: Project, session: Session, errorContext: ErrorContext): Promise<Session> {
  const { server, settings, env, connect } = session;
  const isSet = server.from === 'option' || server.from === 'environment';
  if (project.server === undefined || isSet) return session;
  const address = parseServerUrl(project.server);
  if (address.href === server.server.href) return session;
  if (!Object.hasOwn(settings.stored.keys ?? {}, address.origin)) await confirmServer(address, session);
  const key = chooseKey(address, env, settings.stored);
  Object.assign(errorContext, { server: address, key } satisfies ErrorContext);
  return { ...session, client: connect(address, key.key), server: { server: address, from: 'project' }, key };
}

async function confirmServer(address: URL, { terminal, json, signal, env }: Session): Promise<void> {
  const name = formatServer(address);
  if (!terminal.isInteractive || json)
    throw new UsageError(
      `${PROJECT_FILE} names the server ${name}, for which no key is stored. To use it, set BERTH_SERVER=${name} or sign in: berth login --server ${name}`,
    );
  const sent = env['BERTH_KEY'] ? 'the folder and the key in BERTH_KEY' : 'the folder';
  const answer = await terminal.ask(`${PROJECT_FILE} names the server ${name}. Send ${sent} there? [y/N]: `, {
    signal,
  });
  if (!/^y(es)?$/i.test(answer)) throw new Declined();
}

/** Runs the build command of a project. Its output goes to standard error, because standard output has only the link. */
async function runBuild({ build }: Project, { signal, note }: Session): Promise<void> {
  if (build === undefined)
    throw new UsageError(`${PROJECT_FILE} has no build command. Add "build", such as "npm run build"`);
  note([{ colour: 'dim', text: `$ ${build}` }]);
  const child = spawn(build, { shell: true, stdio: ['inherit', 2, 2], signal });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new ClientError('folder', `The build failed with exit code ${code}: ${build}`);
}
