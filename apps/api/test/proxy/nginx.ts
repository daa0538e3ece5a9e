import { execFile, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type LaunchedProcess, launchProgram } from '@berth/testing/process';

const PAGE = join(import.meta.dirname, '../../../../docs/proxies.md');
const PATH = `${process.env['PATH']}:/usr/sbin`;
const run = promisify(execFile);

/** Whether nginx is installed. In CI it must be. */
export const hasNginx = spawnSync('nginx', ['-v'], { env: { PATH } }).status === 0;

export interface Nginx {
  program: LaunchedProcess;
  /** The certificate of the authority, in PEM. */
  ca: Buffer;
  stop(): Promise<void>;
}

export interface NginxOptions {
  httpPort: number;
  httpsPort: number;
  /** The port of the server. */
  port: number;
  /** The name that replaces the custom domain of the page. */
  customDomain: string;
}

/** Starts nginx with the configuration files of docs/proxies.md, in which only ports, paths and names are changed. */
export async function startNginx(options: NginxOptions): Promise<Nginx> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-nginx-'));
  const ca = await createCertificates(folder, options.customDomain);
  for (const directory of ['conf.d', 'snippets', 'temp']) await mkdir(join(folder, directory));
  for (const [name, text] of await filesOfPage()) await writeFile(join(folder, name), adapt(text, folder, options));
  await writeFile(join(folder, 'nginx.conf'), mainFile(folder));
  const program = launchProgram('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr'], { PATH });
  const stop = async () => {
    program.child.kill('SIGTERM');
    await program.exited;
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await program.printed('start worker process ');
    return { program, ca, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Returns the configuration files of the page by name. */
async function filesOfPage(): Promise<Map<string, string>> {
  const page = await readFile(PAGE, 'utf8');
  return new Map([...page.matchAll(/^```nginx (\S+)\n(.*?)^```$/gms)].map(([, name, text]) => [name!, text!]));
}

function adapt(text: string, folder: string, { httpPort, httpsPort, port, customDomain }: NginxOptions): string {
  return text
    .replace(/^ *listen \[::\].*\n/gm, '')
    .replaceAll('listen 80', `listen 127.0.0.1:${httpPort}`)
    .replaceAll('listen 443', `listen 127.0.0.1:${httpsPort}`)
    .replaceAll('127.0.0.1:4000', `127.0.0.1:${port}`)
    .replaceAll('/etc/nginx', folder)
    .replaceAll(/\/etc\/letsencrypt\/live\/[^/]+/g, folder)
    .replaceAll('www.customer.example', customDomain)
    .replaceAll('api.example.com', 'localhost')
    .replaceAll('sites.example.net', 'sites.localhost');
}

/** Returns the main file, as a package of nginx has one, for one folder and without a background process. */
function mainFile(folder: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path temp/${kind};`,
  );
  return `
    ${process.getuid!() === 0 ? 'user root;' : ''}
    daemon off;
    worker_processes 2;
    pid ${folder}/nginx.pid;
    error_log stderr notice;
    events {}
    http {
      access_log off;
      ${temporary.join('\n')}
      include ${folder}/conf.d/*.conf;
    }`;
}

/** Creates an authority and a certificate of it for the names of the tests. */
async function createCertificates(folder: string, customDomain: string): Promise<Buffer> {
  const names = ['localhost', '*.sites.localhost', customDomain].map((name) => `DNS:${name}`).join();
  const create = (parameters: string) =>
    run('openssl', `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 ${parameters}`.split(' '), {
      cwd: folder,
    });
  await create('-subj /CN=authority -keyout ca-key.pem -out ca.pem');
  await create(
    `-CA ca.pem -CAkey ca-key.pem -subj /CN=localhost -keyout privkey.pem -out fullchain.pem -addext subjectAltName=${names} -addext basicConstraints=critical,CA:FALSE`,
  );
  return readFile(join(folder, 'ca.pem'));
}
