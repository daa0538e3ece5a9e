import { Password } from '@berth/contract';
import { UsageError } from '@berth/terminal';
import type { Session } from '../session.ts';

/**
 * Reads the password of a site: from the option (`-` asks for it), otherwise from `BERTH_PASSWORD`. `undefined` keeps the
 * password of the previous version. `--no-password` gives `null`, which removes it.
 *
 * @throws UsageError for an invalid one. An empty one never means no password: otherwise a script with an unset variable would
 *   publish a public site.
 */
export async function readPassword(
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
