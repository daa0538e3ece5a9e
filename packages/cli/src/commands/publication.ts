import { type DeployFolderInput, findLastDeploymentId, type Publication } from '@berth/client';
import { Password } from '@berth/contract';
import { UsageError } from '@berth/terminal';
import { type Command, Option } from 'commander';
import { ignoredPatterns, type Project } from '../project/project-file.ts';
import type { Session } from '../session.ts';
import { collect, parseSite } from '../values.ts';
import { fullDomain } from './domains.ts';
import { confirmReplacing } from './replacing.ts';

export interface PublicationOptions {
  domain?: string;
  label?: string[];
  password?: string | false;
  open?: boolean;
  delta: boolean;
}

/** The options of `berth publish`. */
export interface PublishOptions extends PublicationOptions {
  ttl?: number;
  keep?: number;
  dryRun?: boolean;
  build?: boolean;
}

/** Adds the options that publishing and watching have in common. @param deployments What the domain points at, for the help. */
export function addPublicationOptions(command: Command, deployments: string): Command {
  return addSiteOptions(command.option('-d, --domain <name>', `the domain to point at ${deployments}`));
}

/** Adds the options of a deployment without a domain. */
export function addSiteOptions(command: Command): Command {
  return command
    .option('-l, --label <label>', 'a label; may be repeated', collect)
    .option('-p, --password <password>', 'the password for visitors; "-" asks for it [env: BERTH_PASSWORD]')
    .option('--no-password', 'publish without a password, even if the previous version has one')
    .addOption(new Option('--open', 'the same as --no-password').conflicts('password'));
}

/**
 * Returns the engine's input for a folder and the given options.
 *
 * @param project The project file that names the folder; `null` if the folder was typed.
 * @throws UsageError if the password is invalid.
 */
export async function readPublication(
  session: Session,
  folder: string,
  options: Omit<PublicationOptions, 'delta'>,
  project: Project | null = null,
): Promise<DeployFolderInput> {
  return { folder, ...(await readSiteOptions(session, options)), ignore: ignoredPatterns(project) };
}

/** Returns the engine's input for the given options, without what is published. @throws UsageError if the password is invalid. */
export async function readSiteOptions(
  session: Session,
  { domain, label, password, open }: Omit<PublicationOptions, 'delta'>,
): Promise<Publication> {
  return {
    client: session.client,
    via: 'cli',
    labels: label,
    password: await readPassword(session, open ? false : password),
    domain: domain && parseSite(domain),
  };
}

/**
 * Reads the password of a site: from the option (`-` asks for it), otherwise from `BERTH_PASSWORD`. `undefined` keeps the
 * password of the domain or of the previous version, and `null` removes the password.
 *
 * An empty password is an error. Otherwise a script with an unset variable would publish a public site.
 */
export async function readPassword({ terminal, signal, env }: Session, option?: string | false) {
  if (option === false) return null;
  const input = option ?? env['BERTH_PASSWORD'];
  if (input === undefined) return undefined;
  const password = input === '-' ? await terminal.ask('Password: ', { secret: true, signal }) : input;
  const reason = Password.safeParse(password).error?.issues[0]?.message;
  if (reason === undefined) return password;
  const source = option === undefined ? 'BERTH_PASSWORD' : '--password';
  throw new UsageError(
    password.trim() === ''
      ? `The password is empty. Use 6 to 128 characters, or omit ${source} for a public site`
      : `The password is invalid: ${reason}`,
  );
}

/** Asks before a publication replaces what a domain shows, unless this machine published that from the same folder. @throws Declined. */
export async function confirmPublication(session: Session, input: DeployFolderInput): Promise<void> {
  const { asks, client, cacheDir } = session;
  if (!asks || input.domain === undefined) return;
  await confirmReplacing(session, await fullDomain(client, input.domain), findLastDeploymentId(input, { cacheDir }));
}
