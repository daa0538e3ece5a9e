import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { doctor } from '@berth/core/operator';
import { commit, send, bodyOf } from '@berth/testing/delta';
import { createTestClient, OWNER_KEY, type TestClient } from '@berth/testing/requests';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Berth, startBerth } from '../../src/server.ts';
import { type DataFolder, readDataFolder, unpackDataFolder } from './data-folder.ts';
import { FILL_SETTINGS } from './fill.ts';
import { LAST_RELEASE } from './last-release.ts';
import { observe } from './observe.ts';

describe(`a data folder of version ${LAST_RELEASE.version}, opened by this version`, () => {
  let dataDir: string;
  let folder: DataFolder;
  let berth: Berth;
  let client: TestClient;
  const logged: { fields: object; message: string }[] = [];
  beforeAll(async () => {
    folder = await readDataFolder();
    dataDir = await mkdtemp(join(tmpdir(), 'berth-upgrade-'));
    await unpackDataFolder(dataDir);
    const startedAt = Date.now();
    const env = {
      NODE_ENV: 'test',
      HOST: '127.0.0.1',
      PORT: '0',
      DATA_DIR: dataDir,
      DNS_SERVERS: '127.0.0.1:1',
      RATE_LIMITS: 'off',
      JOBS: 'off',
      COMPRESSION: 'off',
      ...FILL_SETTINGS,
    };
    const log = (fields: object, message: string) => void logged.push({ fields, message });
    berth = await startBerth(
      env,
      { info: log, warn: log, error: log },
      {
        // The first minute after the data folder was made, so that nothing has expired.
        parts: () => ({ now: () => new Date(folder.made + Date.now() - startedAt) }),
      },
    );
    client = createTestClient(berth.config.port);
  });
  afterAll(async () => {
    await berth?.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('is migrated at the start, with one log line for each migration, and no new owner key', async () => {
    expect(logged).toContainEqual({
      fields: { name: '0012-migration-versions', durationMs: expect.any(Number) },
      message: 'Migrated the database',
    });
    expect(await berth.core.database.schemaDrift()).toBe('');
    expect(berth.ownerKey).toBeNull();
  });

  it('has every account, deployment, domain, version, token, label and activity, and serves every byte', async () => {
    const observation = await observe(client, berth.config.port, folder.keepsakes);
    // Answers may have additional fields.
    expect(observation.accounts).toMatchObject(folder.observation.accounts);
    expect(observation.sites).toEqual(folder.observation.sites);
  });

  it('accepts the same credentials, passwords and unlock cookies', async () => {
    const { deployTokens, revokedToken, protectedSite } = folder.keepsakes;
    for (const key of deployTokens) expect((await client.api('/limits', { key })).status).toBe(200);
    expect((await client.api('/limits', { key: revokedToken })).status).toBe(401);
    const { deployment, cookie } = protectedSite;
    expect((await client.visit(deployment)).status).toBe(401);
    expect((await client.visit(deployment, '/', { headers: { Cookie: cookie } })).status).toBe(200);
    const unlock = (password: string) =>
      client.visit(deployment, '/.berth/unlock', {
        method: 'POST',
        body: new URLSearchParams({ password }).toString(),
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      });
    expect((await unlock(protectedSite.password)).headers['set-cookie']).toHaveLength(1);
    expect((await unlock('wrong password')).headers['set-cookie']).toBeUndefined();
  });

  it('continues lists from cursors that the earlier version returned', async () => {
    const { keys, cursor } = folder.keepsakes;
    const { activities } = (await client.api(`/activities?limit=3&cursor=${cursor}`, { key: keys['ada']! })).json<{
      activities: unknown[];
    }>();
    const all = folder.observation.accounts['ada']!['/activities'] as unknown[];
    expect(activities).toMatchObject(all.slice(3, 6));
  });

  it('repeats the answer to a request with a stored Idempotency-Key', async () => {
    const { key, files, deployment } = folder.keepsakes.idempotent;
    const response = await client.deploy(files, {
      key: folder.keepsakes.keys['bob']!,
      headers: { 'Idempotency-Key': key },
    });
    expect(response.headers['idempotency-replay']).toBe('true');
    expect(response.json()).toMatchObject({ deployment });
  });

  it('completes an upload that the earlier version had begun', async () => {
    const { upload, missing, text } = folder.keepsakes.openUpload;
    const key = folder.keepsakes.keys['ada']!;
    await send(client, upload, bodyOf([missing]), { key });
    const { deployment } = (await commit(client, upload, { key })).json<{ deployment: string }>();
    expect((await client.visit(deployment)).text).toBe(text);
    expect((await client.visit(deployment, '/b.txt')).text).toBe(missing);
  });

  it('lets its owner claim a deployment that was published without an account', async () => {
    const claim = new URL(folder.keepsakes.claim).pathname.split('/').at(-1)!;
    const response = await client.api('/account/claim', { method: 'POST', key: OWNER_KEY, json: { claim } });
    expect(response.status).toBe(200);
    const { deployment } = response.json<{ deployment: string }>();
    expect((await client.visit(deployment)).text).toContain('anonymous');
  });

  it('is found sound by the doctor', async () => {
    const findings = [];
    for await (const event of doctor(berth.core, { fix: false, graceMs: 86_400_000, apiHost: berth.config.apiHost }))
      if (event.kind === 'finding' && event.severity !== 'advice') findings.push(event);
    expect(findings).toEqual([]);
  });
});
