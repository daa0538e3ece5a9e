import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchProgram, type LaunchedProcess } from '@berth/testing/process';

export const CADDY_FOLDER = join(import.meta.dirname, '../../../../deploy/caddy');
const CADDYFILE = join(CADDY_FOLDER, 'Caddyfile');

/** Whether Caddy is installed. In CI it must be. */
export const hasCaddy = spawnSync('caddy', ['version']).status === 0;

export interface Caddy {
  program: LaunchedProcess;
  /** The certificate of the internal authority, in PEM. */
  ca: Buffer;
  stop(): Promise<void>;
}

/** Starts Caddy with the Caddyfile of this repository and its internal authority, on 127.0.0.1 and in its own folder. */
export async function startCaddy(env: Record<string, string>): Promise<Caddy> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-caddy-'));
  const program = launchProgram('caddy', ['run', '--config', CADDYFILE], {
    HOME: folder,
    XDG_DATA_HOME: folder,
    XDG_CONFIG_HOME: folder,
    TLS_ISSUER: 'internal',
    CADDY_GLOBAL_OPTIONS: 'admin off\nskip_install_trust\ndefault_bind 127.0.0.1',
    ...env,
  });
  const stop = async () => {
    program.child.kill('SIGTERM');
    await program.exited;
    await rm(folder, { recursive: true, force: true });
  };
  try {
    for (const name of ['localhost', '*.sites.localhost'])
      await program.printed(`"certificate obtained successfully","identifier":"${name}"`);
    return { program, ca: await readFile(join(folder, 'caddy/pki/authorities/local/root.crt')), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
