import { spawnSync } from 'node:child_process';
import { chown, readFile, stat } from 'node:fs/promises';

/** How to run PostgreSQL as a user that it accepts. */
export interface PostgresAccount {
  /** Arguments to put before the command. */
  prefix: string[];
  /** The user and group to run as. Default: those of this process. */
  ids?: { uid: number; gid: number };
}

const NAMESPACE = ['unshare', '--user', '--'];
const USERS = ['postgres', '_postgres', 'nobody'];

/**
 * Chooses how to run PostgreSQL, which refuses to run as root: as the owner of its folder, or in a user namespace, or, if those are
 * forbidden, as another user, who then becomes the owner of the folder.
 *
 * @throws Error if this process is root and none of these is possible.
 */
export async function choosePostgresAccount(home: string): Promise<PostgresAccount> {
  if (process.getuid?.() !== 0) return { prefix: [] };
  const { uid, gid } = await stat(home);
  if (uid !== 0) return { prefix: [], ids: { uid, gid } };
  if (spawnSync('unshare', ['--user', '--', 'true'], { env: {} }).status === 0) return { prefix: NAMESPACE };
  const users = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  for (const name of USERS) {
    const user = users.find((fields) => fields[0] === name);
    const ids = { uid: Number(user?.[2]), gid: Number(user?.[3]) };
    if (!(ids.uid > 0 && ids.gid > 0)) continue;
    await chown(home, ids.uid, ids.gid);
    return { prefix: [], ids };
  }
  throw new Error('PostgreSQL cannot run as root, and no other user was found; start Berth as another user.');
}
