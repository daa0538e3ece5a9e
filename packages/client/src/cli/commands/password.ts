import type { Session } from '../session.ts';

/** The password of a site: the option, which `-` makes a question, else `BERTH_PASSWORD`, else none. */
export async function readPassword({ terminal, signal, env }: Session, option?: string): Promise<string | undefined> {
  const given = option ?? env['BERTH_PASSWORD'];
  return given === '-' ? terminal.ask('Password: ', { secret: true, signal }) : given || undefined;
}
