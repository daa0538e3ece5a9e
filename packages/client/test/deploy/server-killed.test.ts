import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase } from '@berth/testing/database';
import { type ServerProcess, startProcess } from '@berth/testing/process';
import { startProxy } from '@berth/testing/proxy';
import { OWNER_KEY } from '@berth/testing/requests';
import { testEnvironment } from '@berth/testing/server';
import { expect, onTestFinished, test } from 'vitest';
import { createClient } from '../../src/client.ts';
import { deployFolder } from '../../src/deploy/deploy.ts';
import { collectEvents, makeFolder } from '../folder/folders.ts';

test('a deploy creates one deployment even if the server is killed and restarted in the middle', async () => {
  const database = await createTestDatabase();
  const dataDir = mkdtempSync(join(tmpdir(), 'berth-killed-'));
  const env = testEnvironment(database, dataDir);
  let port = 0;
  const start = async (): Promise<ServerProcess> => {
    const startedServer = await startProcess(env);
    ({ port } = startedServer);
    return startedServer;
  };
  let running = start();
  await running;
  onTestFinished(async () => {
    const { child, exited } = await running;
    child.kill();
    await exited;
    await database.drop();
    rmSync(dataDir, { recursive: true, force: true });
  });
  // The server restarts on another port, because another process may use the first port now.
  const proxy = await startProxy(() => port);
  const killedAt = new Set(['/uploads/*/contents', '/trpc/deployments.commit', '/trpc/domains.get']);
  proxy.trouble = async (_req, path) => {
    if (!killedAt.delete(path)) return undefined;
    const { child, exited } = await running;
    child.kill('SIGKILL');
    running = exited.then(start);
    return undefined;
  };
  const folder = makeFolder({ 'index.html': 'hello', 'big.bin': Buffer.alloc(9_000_000, 'big') });
  const cacheDir = makeFolder();
  const client = createClient({ server: proxy.url, key: OWNER_KEY });
  const retries = { attempts: 100, firstMs: 100, longestMs: 300 };
  const { events, result } = await collectEvents(
    deployFolder({ folder, client, domain: 'killed' }, { cacheDir, retries }),
  );

  expect(events.filter(({ type }) => type === 'retried').length).toBeGreaterThanOrEqual(3);
  expect((await client.api.deployments.list.query({})).deployments).toHaveLength(1);
  const { visit } = await running;
  expect((await visit(result.deployment)).text).toBe('hello');
}, 120_000);
