import type { Session } from '../session.ts';

/**
 * The password of a site: the option, which `-` makes a question, else `BERTH_PASSWORD`, else that of the version which is
 * changed. `--no-password` is `null`: none at all.
 */
export async function readPassword(
  { terminal, signal, env }: Session,
  option?: string | false,
): Promise<string | null | undefined> {
  if (option === false) return null;
  const given = option ?? env['BERTH_PASSWORD'];
  return given === '-' ? terminal.ask('Password: ', { secret: true, signal }) : given || undefined;
}
