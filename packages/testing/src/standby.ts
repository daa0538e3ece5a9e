import { chmod, chown, cp, glob, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../core/src/database/embedded-postgres.ts';

/** A PostgreSQL server with a standby that follows it by streaming replication. */
export interface ReplicatedPostgres {
  primary: EmbeddedPostgres;
  standby: EmbeddedPostgres;
  /** Opens a session. The caller must end it. */
  connect(server: EmbeddedPostgres): Promise<pg.Client>;
  stop(): Promise<void>;
}

/**
 * Starts a server and a standby.
 *
 * @param prepare Creates what the database contains before the standby copies it.
 * @param synchronous Whether a commit waits until the standby has it. Default: false.
 * @param source Returns the folder of the socket from which the standby reads. Default: that of the primary.
 */
export async function startReplicatedPostgres(
  prepare: (primary: EmbeddedPostgres) => Promise<void>,
  { synchronous = false, source }: { synchronous?: boolean; source?: (socketDir: string) => string } = {},
): Promise<ReplicatedPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-repl-'));
  await chmod(folder, 0o755);
  const [home, copy] = [join(folder, 'a'), join(folder, 'b')] as const;
  const clients = join(folder, 'clients.conf');
  await writeFile(clients, 'local all all trust\nlocal replication all trust\n');
  const settings = { fsync: 'off', hba_file: clients, shared_buffers: '32MB', hot_standby: 'on' };
  const first = await startEmbeddedPostgres(home, { settings });
  await prepare(first).finally(() => first.stop());
  const { uid, gid } = await stat(join(home, 'data'));
  await chown(clients, uid, gid);
  await mkdir(copy, { mode: 0o700 });
  await chown(copy, uid, gid);
  await cp(join(home, 'data'), join(copy, 'data'), { recursive: true, preserveTimestamps: true });
  await writeFile(join(copy, 'data', 'standby.signal'), '');
  await ownTree(join(copy, 'data'), uid, gid);
  const primary = await startEmbeddedPostgres(home, {
    settings: { ...settings, ...(synchronous && { synchronous_standby_names: '*' }) },
  });
  const { socketDir, user } = primary.address;
  const standby = await startEmbeddedPostgres(copy, {
    settings: {
      ...settings,
      primary_conninfo: `host=${source?.(socketDir) ?? socketDir} port=5432 user=${user} application_name=standby`,
    },
  });
  return {
    primary,
    standby,
    async connect({ address }) {
      const client = new pg.Client({
        host: address.socketDir,
        port: 5432,
        user: address.user,
        database: address.database,
      });
      client.on('error', () => {});
      await client.connect();
      return client;
    },
    async stop() {
      await standby.stop();
      await primary.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function ownTree(folder: string, uid: number, gid: number): Promise<void> {
  await chmod(folder, 0o700);
  await chown(folder, uid, gid);
  for await (const path of glob('**/*', { cwd: folder })) await chown(join(folder, path), uid, gid);
}
