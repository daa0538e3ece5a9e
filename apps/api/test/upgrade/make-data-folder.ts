// Makes fixtures/data-folders/<version>.tar.zst and .json with the source of the last release; see the README there.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDnsServer } from '@berth/testing/dns-server';
import { type LaunchedProcess, launchProcess, whenUp } from '@berth/testing/process';
import { OWNER_KEY } from '@berth/testing/requests';
import { packDataFolder } from './data-folder.ts';
import { fill, FILL_SETTINGS } from './fill.ts';
import { extractLastRelease } from './last-release.ts';
import { observe } from './observe.ts';

const dataDir = await mkdtemp(join(tmpdir(), 'berth-data-'));
const release = await extractLastRelease();
const dns = await startDnsServer();
let launched: LaunchedProcess | undefined;
try {
  const settings = {
    NODE_ENV: 'test',
    HOST: '127.0.0.1',
    DATA_DIR: dataDir,
    OWNER_API_KEY: OWNER_KEY,
    DNS_SERVERS: dns.address,
    RATE_LIMITS: 'off',
    JOBS: 'off',
    ...FILL_SETTINGS,
  };
  launched = launchProcess({ ...settings, PORT: '0' }, release.main);
  const server = await whenUp(launched);
  const env = { ...settings, PORT: String(server.port), PATH: process.env['PATH']! };
  const keepsakes = await fill({ ...server, zone: dns.zone, operator: release.operator, env });
  const made = Date.now();
  const observation = await observe(server, server.port, keepsakes);
  server.child.kill('SIGTERM');
  if ((await server.exited) !== 0) throw new Error(`The server did not stop cleanly:\n${server.output()}`);
  await packDataFolder(dataDir, { made, keepsakes, observation });
} finally {
  launched?.child.kill('SIGTERM');
  await launched?.exited;
  await Promise.all([dns.close(), release.remove(), rm(dataDir, { recursive: true })]);
}
