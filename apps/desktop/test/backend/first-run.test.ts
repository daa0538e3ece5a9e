import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';
import { makeSite, openDesktop, openProxied, openSignedIn } from './desktop.ts';

const server = useServer();
const origin = () => `http://localhost:${server().port}`;

/** Makes an anonymous site of a stored app expire within a number of hours. */
function expireWithin(dataDir: string, hours: number): void {
  const path = join(dataDir, 'publishings.json');
  const stored = JSON.parse(readFileSync(path, 'utf8'));
  stored.publishings[0].state.published.expires = Math.floor(Date.now() / 1_000) + hours * 3_600;
  writeFileSync(path, JSON.stringify(stored));
}

describe('the server of the first run', () => {
  it('is checked without being added, and the check says why a server cannot be used', async () => {
    const desktop = await openDesktop({ server: undefined });
    const before = (await desktop.ask('readState', undefined)).session;
    expect(await desktop.ask('checkServer', { address: `localhost:${server().port}` })).toEqual({ origin: origin() });
    await expect(desktop.ask('checkServer', { address: 'localhost:1' })).rejects.toMatchObject({ kind: 'network' });
    await expect(desktop.ask('checkServer', { address: 'a b' })).rejects.toMatchObject({ kind: 'refused' });
    expect((await desktop.ask('readState', undefined)).session).toEqual(before);
  });

  it('must be chosen before something is published', async () => {
    const desktop = await openDesktop({ server: undefined });
    await expect(desktop.drop([makeSite()])).rejects.toMatchObject({
      message: 'Choose your Berth server first. Then drop the item again.',
    });
  });

  it('is known to an app of an earlier version, which shows no first run', async () => {
    const desktop = await openDesktop({ server: origin() });
    await desktop.ask('changeSettings', { theme: 'dark' });
    const path = join(desktop.dataDir, 'settings.json');
    const { welcomed, ...settings } = JSON.parse(readFileSync(path, 'utf8'));
    expect(welcomed).toBe(false);
    writeFileSync(path, JSON.stringify(settings));
    const restarted = await desktop.restart();
    expect((await restarted.ask('readState', undefined)).settings.welcomed).toBe(true);
  });
});

describe('an anonymous site (desktop §8.8)', () => {
  it('is claimed by the next sign-in if the user wants to keep it, also after a restart', async () => {
    const desktop = await openProxied(server());
    const { id, deployment } = await desktop.publish();
    const other = await desktop.publish();
    await desktop.ask('keepPublishing', { id });
    const restarted = await desktop.restart();
    const { key } = await server().account();
    await restarted.ask('signIn', { key });
    await expect.poll(async () => (await restarted.published(id)).claim).toBeNull();
    expect((await restarted.published(other.id)).claim).not.toBeNull();
    expect((await restarted.ask('listSites', {})).sites.map(({ site }) => site)).toEqual([deployment]);
    expect(restarted.emitted).toContainEqual({ name: 'navigate', data: { page: 'publish', id } });
  });

  it('that expires within a day is announced once', async () => {
    const desktop = await openProxied(server());
    const { id } = await desktop.publish();
    await desktop.backend.close();
    expireWithin(desktop.dataDir, 5);
    desktop.native.focused = false;
    const restarted = await desktop.restart();
    restarted.backend.onWake();
    expect(restarted.native.notes.map(({ title, body }) => [title, body])).toEqual([
      ['site expires soon', 'Sign in within 5 h to keep it.'],
    ]);
    expect(restarted.native.notes[0]).toMatchObject({ link: null, target: { page: 'publish', id } });
  });

  it('that is claimed, or expires later, is not announced', async () => {
    const desktop = await openSignedIn(server());
    desktop.native.focused = false;
    await desktop.publish();
    desktop.native.notes.length = 0;
    desktop.backend.onWake();
    expect(desktop.native.notes).toEqual([]);
  });
});

it('the sample site is published like a folder, and keeps what the user has changed in it', async () => {
  const desktop = await openProxied(server());
  const { id } = await desktop.ask('publishSample', undefined);
  const { url } = await desktop.published(id);
  expect((await server().visit(url)).text).toContain('My first site');
  writeFileSync(join(desktop.dataDir, 'sample-site', 'index.html'), 'changed');
  const again = await desktop.published((await desktop.ask('publishSample', undefined)).id);
  expect((await server().visit(again.url)).text).toBe('changed');
});
