import type { DeployFolderInput } from '@berth/client';
import { Password } from '@berth/contract';
import { UsageError } from '@berth/terminal';
import type { Command } from 'commander';
import type { Session } from '../session.ts';
import { collect, parseSite } from '../values.ts';

/** The options that publishing and watching have in common. */
export interface PublicationOptions {
  domain?: string;
  label?: string[];
  password?: string | false;
  delta: boolean;
}

/** Adds the options that say how to publish. @param deployments What the domain points at, for the help. */
export function addPublicationOptions(command: Command, deployments: string): Command {
  return command
    .option('-d, --domain <name>', `the domain to point at ${deployments}`)
    .option('-l, --label <label>', 'a label; may be repeated', collect)
    .option('-p, --password <password>', 'the password for visitors; "-" asks for it [env: BERTH_PASSWORD]')
    .option('--no-password', 'publish without a password, even if the previous version has one');
}

/** Returns the input of the engine for a folder and these options. @throws UsageError if the password is invalid. */
export async function readPublication(
  session: Session,
  folder: string,
  { domain, label, password }: PublicationOptions,
): Promise<DeployFolderInput> {
  return {
    folder,
    client: session.client,
    via: 'cli',
    labels: label,
    password: await readPassword(session, password),
    domain: domain && parseSite(domain),
  };
}

/**
 * Reads the password of a site: from the option (`-` asks for it), otherwise from `BERTH_PASSWORD`. `undefined` keeps the
 * password of the previous version. `--no-password` gives `null`, which removes it.
 *
 * @throws UsageError for an invalid one. An empty one never means no password: otherwise a script with an unset variable would
 *   publish a public site.
 */
async function readPassword(
  { terminal, signal, env }: Session,
  option?: string | false,
): Promise<string | null | undefined> {
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
