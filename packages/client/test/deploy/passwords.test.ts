import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';
import { deployFiles } from '../../src/deploy/deploy.ts';
import { watchFolder } from '../../src/watch/watch-folder.ts';
import { collect } from '../folder/folders.ts';
import { makeWorld } from './worlds.ts';

const server = useServer();

describe.each(['', '   ', '12345', 'x'.repeat(129)])('the password %.10j', (password) => {
  const refused = { kind: 'refused', message: expect.stringContaining('a password') };

  it('is refused by the library before anything is sent, for a folder, files in memory and a watch', async () => {
    const { deploy, client, options, folder, proxy, deployments } = await makeWorld(server(), { 'index.html': 'hi' });
    const files = [{ path: 'index.html', content: 'hi' }];
    await expect(deploy({ password })).rejects.toMatchObject(refused);
    await expect(deploy({ password }, { delta: false })).rejects.toMatchObject(refused);
    await expect(collect(deployFiles({ client, files, password }, options))).rejects.toMatchObject(refused);
    await expect(collect(watchFolder({ client, folder, password }))).rejects.toMatchObject(refused);
    expect(proxy.passed).toEqual([]);
    expect(await deployments()).toBe(0);
  });

  it('is refused by the server with 400, in every way of publishing', async () => {
    const { client, key, deployments } = await makeWorld(server(), {});
    const sha256 = 'a'.repeat(64);
    const files = [{ path: 'index.html', size: 2, sha256 }];
    const badPassword = { status: 400, details: { issues: [{ path: 'password' }] } };
    await expect(client.api.deployments.begin.mutate({ files, password })).rejects.toMatchObject(badPassword);
    const answer = await server().deploy({ 'index.html': 'hi' }, { fields: { password }, key });
    expect(answer).toMatchObject({ status: 400 });
    expect(answer.json()).toMatchObject({ error: 'validation_failed', details: badPassword.details });
    expect(await deployments()).toBe(0);
  });
});
