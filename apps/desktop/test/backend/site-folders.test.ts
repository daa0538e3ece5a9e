import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';
import { makeSite, openProxied, openSignedIn } from './desktop.ts';

const server = useServer();

const nameOf = () => `site-${crypto.randomUUID().slice(0, 8)}`;

describe('a folder that was published at a domain (desktop §8.15)', () => {
  it('is offered as an update when it is dropped again, and the update keeps the address', async () => {
    const desktop = await openSignedIn(server());
    const site = makeSite({ 'index.html': 'one' });
    const domain = nameOf();
    const { url } = await desktop.publish(site, { domain });
    writeFileSync(join(site, 'index.html'), 'two');
    const id = await desktop.dropSite(site);
    const { state } = await desktop.until(id, 'asking');
    expect(state.question).toEqual({ about: 'update', suggestions: [], site: new URL(url).hostname });
    await desktop.ask('updatePublishing', { id, update: true });
    expect((await desktop.published(id)).url).toBe(url);
    expect((await server().visit(url)).text).toBe('two');
  });

  it('gets a new link if the user does not want an update', async () => {
    const desktop = await openSignedIn(server());
    const site = makeSite();
    const { url } = await desktop.publish(site, { domain: nameOf() });
    const id = await desktop.dropSite(site);
    await desktop.until(id, 'asking');
    await desktop.ask('updatePublishing', { id, update: false });
    const published = await desktop.published(id);
    expect(published).toMatchObject({ domain: null });
    expect(published.url).not.toBe(url);
  });

  it('can be published again from the list of sites, also after a restart and at a new address', async () => {
    const desktop = await openSignedIn(server());
    const site = makeSite({ 'index.html': 'one' });
    const first = await desktop.publish(site, { domain: nameOf() });
    const renamed = await desktop.ask('putDomain', { domain: nameOf(), deployment: first.deployment });
    await desktop.ask('deleteDomain', { domain: first.domain! });
    writeFileSync(join(site, 'index.html'), 'two');
    const restarted = await desktop.restart();
    const { sites } = await restarted.ask('listSites', {});
    const listed = sites.find(({ domain }) => domain === renamed.domain);
    const { id } = await restarted.ask('publishSiteAgain', { domain: listed!.domain, deployment: listed!.deployment! });
    expect((await restarted.published(id)).domain).toBe(renamed.domain);
    expect((await server().visit(renamed.url)).text).toBe('two');
    const { siteFolders } = await restarted.ask('readState', undefined);
    expect(siteFolders.filter((each) => each.domain !== null)).toMatchObject([
      { domain: renamed.domain, path: site, name: 'site' },
    ]);
  });

  it('is published by its watch when it is watched', async () => {
    const desktop = await openSignedIn(server());
    const site = makeSite({ 'index.html': 'one' });
    const [given] = await desktop.backend.give([site]);
    const domain = nameOf();
    await desktop.ask('watch', { of: { grant: given!.grant }, domain, labels: [], password: null });
    const folder = async () => (await desktop.ask('readState', undefined)).folders[0]!;
    await expect.poll(async () => (await folder()).state.is, { timeout: 10_000 }).toBe('live');
    const id = await desktop.dropSite(site);
    await desktop.until(id, 'asking');
    await desktop.ask('updatePublishing', { id, update: true });
    expect(await desktop.publishings()).toEqual([]);
    expect(await desktop.deployments()).toHaveLength(1);
  });
});

it('a site that was not published from this computer has no folder', async () => {
  const desktop = await openProxied(server());
  await expect(
    desktop.ask('publishSiteAgain', { domain: null, deployment: 'calm-otter-4k9x2qd' }),
  ).rejects.toMatchObject({ message: 'This site was not published from a folder of this computer.' });
});
