import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from '@berth/testing/free-ports';
import { PLATFORM_DOMAIN } from './files.ts';

/** A web server that Berth is compared with. */
export interface WebServer {
  port: number;
  stop(): Promise<void>;
}

const START_TIMEOUT_MS = 10_000;

export function isInstalled(program: 'nginx' | 'caddy'): boolean {
  return spawnSync(program, [program === 'nginx' ? '-v' : 'version']).error === undefined;
}

/**
 * Starts nginx as a careful administrator configures it for many sites: with cached open files and misses, kept
 * connections, and no log.
 */
export async function startNginx(tree: string, processes: number): Promise<WebServer> {
  const home = await mkdtemp(join(tmpdir(), 'berth-bench-nginx-'));
  const [port = 0] = await freePorts(1);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  await writeFile(
    join(home, 'nginx.conf'),
    `${process.getuid?.() === 0 ? 'user root;' : ''}
    daemon off;
    pid ${home}/nginx.pid;
    worker_processes ${processes};
    events { worker_connections 4096; }
    http {
      ${temporary.map((name) => `${name}_temp_path ${home}/${name};`).join('\n')}
      types { text/html html; text/javascript js; video/mp4 mp4; }
      access_log off;
      log_not_found off;
      server_tokens off;
      sendfile on;
      tcp_nopush on;
      keepalive_requests 1000000;
      open_file_cache max=20000 inactive=60s;
      open_file_cache_valid 60s;
      open_file_cache_errors on;
      server {
        listen 127.0.0.1:${port}${processes > 1 ? ' reuseport' : ''};
        server_name ~^[a-z0-9-]+\\.${PLATFORM_DOMAIN.replaceAll('.', '\\.')}$;
        root ${tree}/$host;
      }
    }`,
  );
  return start('nginx', ['-p', home, '-e', 'stderr', '-c', join(home, 'nginx.conf')], home, port);
}

/** Starts Caddy on all cores, without log and admin API. A `.br` file beside a file is its compressed form. */
export async function startCaddy(tree: string): Promise<WebServer> {
  const home = await mkdtemp(join(tmpdir(), 'berth-bench-caddy-'));
  const [port = 0] = await freePorts(1);
  await mkdir(join(home, 'data'));
  await writeFile(
    join(home, 'Caddyfile'),
    `{
      admin off
      auto_https off
      log {
        level ERROR
      }
    }
    http://:${port} {
      bind 127.0.0.1
      root * ${tree}/{host}
      file_server {
        precompressed br
      }
    }`,
  );
  return start('caddy', ['run', '--adapter', 'caddyfile', '--config', join(home, 'Caddyfile')], home, port);
}

/** Runs a program until it listens. @throws when the program exits or does not listen in time. */
async function start(program: string, args: readonly string[], home: string, port: number): Promise<WebServer> {
  const env = { ...process.env, HOME: home, XDG_DATA_HOME: join(home, 'data'), XDG_CONFIG_HOME: home };
  const child = spawn(program, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr.on('data', (text: Buffer) => (output = `${output}${text.toString()}`.slice(-2_000)));
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (!(await isListening(port))) {
    if (child.exitCode !== null || performance.now() > deadline) {
      child.kill();
      await rm(home, { recursive: true, force: true });
      throw new Error(`${program} did not start: ${output}`);
    }
    await sleep(20);
  }
  return {
    port,
    async stop() {
      const exitEvent = child.exitCode === null ? once(child, 'exit') : null;
      child.kill('SIGTERM');
      await exitEvent;
      await rm(home, { recursive: true, force: true });
    },
  };
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
