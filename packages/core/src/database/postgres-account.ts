import { spawnSync } from 'node:child_process';
import { chown, readFile, stat } from 'node:fs/promises';

/** How to run PostgreSQL as somebody it accepts. */
export interface PostgresAccount {
  /** Goes before the command. */
  prefix: string[];
  /** Whom to become; absent: nobody else. */
  ids?: { uid: number; gid: number };
}

const NAMESPACE = ['unshare', '--user', '--'];
const USERS = ['postgres', '_postgres', 'nobody'];

/**
 * PostgreSQL refuses to run as root: it becomes the owner of its folder, is hidden in a user namespace, or, where those are
 * forbidden, becomes another user, who then gets the folder.
 *
 * @throws Error when root has no way.
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
