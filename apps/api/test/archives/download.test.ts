import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DeploymentFileList } from '@berth/contract';
import { expectError } from '@berth/testing/expectations';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';
import { publishArchive } from './publish-archive.ts';

const server = useServer({ clean: { faults: true } });

const LONG_NAME = `${'folder/'.repeat(30)}${'é'.repeat(100)}.html`;
const FILES = {
  'index.html': 'home',
  'empty.txt': '',
  [`${'a'.repeat(99)}.txt`]: 'a name of 103 bytes',
  [LONG_NAME]: 'a long name',
  'docs/é.html': 'a name with an accent',
  'block.bin': Buffer.alloc(512, 1),
  'large.bin': Buffer.alloc(3_000_001, 'large'),
};
const TAR = { Accept: 'application/x-tar' };
const ZIP = { Accept: 'application/zip' };

async function download(deployment: string, headers: Record<string, string> = {}) {
  return server().api(`/deployments/${deployment}/archive`, { headers });
}

async function listOf(deployment: string): Promise<DeploymentFileList['files']> {
  const response = await server().api(`/deployments/${deployment}/files?limit=100`);
  return response.json<DeploymentFileList>().files;
}

describe('api §11: the archive of a deployment', () => {
  it.each([
    ['a tar', 'application/x-tar', TAR],
    ['a tar without an Accept', 'application/x-tar', {}],
    ['a tar for a browser', 'application/x-tar', { Accept: 'text/html,*/*;q=0.8' }],
    ['a zip', 'application/zip', ZIP],
    [
      'a zip for a link that a browser follows',
      'application/zip',
      { 'Sec-Fetch-Mode': 'navigate', Accept: 'text/html,*/*;q=0.8' },
    ],
  ])('is %s that publishes the same files again', async (_, type, accept) => {
    const { deployment } = await server().publish(FILES);
    const { status, headers, bytes } = await download(deployment, accept);
    expect({ status, headers }).toMatchObject({
      status: 200,
      headers: {
        'content-type': type,
        'content-length': String(bytes.length),
        'content-disposition': `attachment; filename="${deployment}.${type === 'application/zip' ? 'zip' : 'tar'}"`,
        'cache-control': 'private, no-store',
        vary: 'Accept',
        'x-content-type-options': 'nosniff',
      },
    });
    const again = await publishArchive(server(), bytes, { type });
    expect(await listOf(again.deployment)).toEqual(await listOf(deployment));
  });

  const PROGRAMS: [program: string, accept: typeof TAR, command: string[]][] = [
    ['tar', TAR, ['tar', '-xf']],
    ['unzip', ZIP, ['unzip', '-q']],
  ];
  const isInstalled = (program: string) => spawnSync(program, ['--help']).error === undefined;
  it.each(PROGRAMS.filter(([program]) => isInstalled(program)))(
    'can be unpacked with %s',
    async (...[program, accept, command]) => {
      const folder = mkdtempSync(join(tmpdir(), 'berth-download-'));
      try {
        const { deployment, created } = await server().publish(FILES);
        const { bytes } = await download(deployment, accept);
        const file = join(folder, 'archive');
        execFileSync('tee', [file], { input: bytes, stdio: ['pipe', 'ignore', 'ignore'] });
        const env = { ...process.env, LC_ALL: 'C.UTF-8' };
        execFileSync(command[0]!, [...command.slice(1), file], { cwd: folder, env });
        for (const [name, content] of Object.entries(FILES))
          expect([program, name, readFileSync(join(folder, name)).equals(Buffer.from(content))]).toEqual([
            program,
            name,
            true,
          ]);
        if (program === 'tar') expect(statSync(join(folder, 'index.html')).mtimeMs).toBe(created * 1000);
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  );

  it('has a head with the same headers', async () => {
    const { deployment } = await server().publish(FILES);
    const { bytes } = await download(deployment);
    const head = await server().api(`/deployments/${deployment}/archive`, { method: 'HEAD' });
    expect([head.status, head.headers['content-length'], head.bytes.length]).toEqual([200, String(bytes.length), 0]);
  });

  it('contains files that are not served, and the files of a protected site', async () => {
    const { deployment } = await server().publish(
      { '.hidden': 'x', 'a.txt': 'a' },
      { fields: { password: 'open sesame' } },
    );
    expect((await download(deployment)).bytes.includes('.hidden')).toBe(true);
  });
});

describe('security T21, T22: the archive of a deployment is refused', () => {
  it('without a credential, and with a deploy token', async () => {
    const { deployToken, key } = await server().account();
    const { deployment } = await server().publish(FILES, { key });
    const path = `/deployments/${deployment}/archive`;
    expectError(await server().api(path, { key: null }), 'authentication_failed');
    expectError(await server().api(path, { key: deployToken }), 'forbidden');
  });

  it('to another account, which gets the 404 of a missing deployment', async () => {
    const { deployment } = await server().publish(FILES);
    const { key } = await server().account();
    const missing = await server().api('/deployments/calm-otter-zzzzzzz/archive', { key });
    const foreign = await server().api(`/deployments/${deployment}/archive`, { key });
    expect(expectError(foreign, 'not_found')).toEqual(expectError(missing, 'not_found'));
  });

  it('while it is being deleted', async () => {
    const { deployment } = await server().publish(FILES);
    await server().api(`/deployments/${deployment}`, { method: 'DELETE' });
    expectError(await download(deployment), 'business_logic_error');
  });

  it('with 405 for another method', async () => {
    const { deployment } = await server().publish(FILES);
    expectError(await server().api(`/deployments/${deployment}/archive`, { method: 'POST' }), 'method_not_allowed');
  });
});

it.each([
  ['tar', TAR],
  ['zip', ZIP],
])('security T36: a download of damaged bytes is interrupted, never complete: %s', async (_, accept) => {
  const { deployment } = await server().publish({ 'a.bin': Buffer.from(`${crypto.randomUUID()}`.repeat(50_000)) });
  const [pack] = await server().database.query<{ id: string }>(
    'select pack_id as id from deployment_pack where deployment_id = $1',
    [deployment],
  );
  const packs = join(server().dataDir, 'packs');
  const file = readdirSync(packs, { recursive: true, encoding: 'utf8' }).find((name) =>
    name.endsWith(`${pack!.id}.pack`),
  )!;
  const { size } = statSync(join(packs, file));
  await truncate(join(packs, file), 1_000_000);
  await truncate(join(packs, file), size);
  await expect(download(deployment, accept)).rejects.toThrow(/aborted|hang up|reset/);
});
