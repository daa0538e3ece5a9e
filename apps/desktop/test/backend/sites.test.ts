import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';
import { eventually, openSignedInWorld, openWorld } from './watch-world.ts';

const server = useServer();
const secondServer = useServer();

const nameOf = () => `site-${crypto.randomUUID().slice(0, 8)}`;

describe('the commands about sites and domains of the current server', () => {
  it('list, label and delete deployments, and link a domain by its first label', async () => {
    const { world, key } = await openSignedInWorld(server());
    const { handlers } = world;
    const { deployment } = await server().publish({ 'index.html': 'one' }, { key });
    expect((await handlers.listSites({})).sites).toMatchObject([{ deployment }]);
    expect(await handlers.labelDeployment({ deployment, labels: ['blog'] })).toMatchObject({ labels: ['blog'] });

    const name = nameOf();
    const domain = `${name}.localhost`;
    expect(await handlers.putDomain({ domain: name, deployment })).toMatchObject({ domain, status: 'success' });
    expect((await server().visit(`http://${domain}:${server().port}`)).text).toBe('one');
    expect((await handlers.listDomains({})).domains).toMatchObject([{ domain }]);
    await expect(handlers.deleteDeployment({ deployment })).rejects.toMatchObject({ status: 422 });
    await handlers.deleteDomain({ domain });
    await handlers.deleteDeployment({ deployment });
    expect((await handlers.listDomains({})).domains).toEqual([]);
    expect((await handlers.listActivities({})).activities.map(({ event }) => event)).toEqual(
      expect.arrayContaining(['deployment.create', 'domain.create', 'domain.delete', 'deployment.delete']),
    );
  });

  it('return the DNS records that a custom domain needs', async () => {
    const { world, key } = await openSignedInWorld(server());
    const { handlers } = world;
    const { deployment } = await server().publish({ 'index.html': 'one' }, { key });
    const domain = `www.${nameOf()}.com`;
    expect(await handlers.putDomain({ domain: `https://${domain}/`, deployment })).toMatchObject({ status: 'pending' });
    expect((await handlers.readRecords({ domain })).records.map(({ type }) => type)).toContain('CNAME');
    expect((await handlers.shareDomain({ domain })).url).toContain((await handlers.shareDomain({ domain })).hash);
    expect(await handlers.verifyDomain({ domain })).toMatchObject({ status: 'pending', checks: expect.any(Array) });
  });

  it('are refused with a message while the user is signed out', async () => {
    const world = await openWorld(server());
    await expect(world.handlers.listSites({})).rejects.toMatchObject({
      kind: 'signed-out',
      message: `You are not signed in to ${world.origin}.`,
    });
    await expect(world.handlers.putDomain({ domain: 'blog' })).rejects.toMatchObject({ kind: 'signed-out' });
    await world.signIn();
    const name = nameOf();
    expect(await world.handlers.putDomain({ domain: name })).toMatchObject({ domain: `${name}.localhost` });
  });

  it('mark the key as refused if the server rejects the key', async () => {
    const { world, account } = await openSignedInWorld(server());
    await server().database.query('delete from token where account_id = $1', [account]);
    await expect(world.handlers.listSites({})).rejects.toMatchObject({ status: 401 });
    await eventually(() => expect(world.signInState().is).toBe('refused'));
  });
});

describe('the feed of activities', () => {
  it('emits the activities of the signed-in account on the current server as they happen', async () => {
    const world = await openWorld(server());
    const untilEmitted = (event: string, deployment: string) =>
      eventually(() => expect(world.activities).toContainEqual(expect.objectContaining({ event, deployment })));
    const untilConnected = (times: number) => eventually(() => expect(world.count('following')).toBe(times));
    const { key } = await world.signIn();
    await untilConnected(1);
    const { deployment } = await server().publish({ 'index.html': 'one' }, { key });
    await untilEmitted('deployment.create', deployment);

    const { key: other } = await world.signIn();
    await untilConnected(2);
    world.activities.length = 0;
    await server().publish({ 'index.html': 'of another account' }, { key });
    const ownDeployment = await server().publish({ 'index.html': 'two' }, { key: other });
    await untilEmitted('deployment.create', ownDeployment.deployment);
    expect(world.activities.map(({ deployment }) => deployment)).toEqual([ownDeployment.deployment]);

    await world.handlers.addServer({ address: `localhost:${secondServer().port}` });
    const secondAccount = await secondServer().account();
    await world.handlers.signIn({ key: secondAccount.key });
    await untilConnected(3);
    const thirdDeployment = await secondServer().publish({ 'index.html': 'three' }, secondAccount);
    await untilEmitted('deployment.create', thirdDeployment.deployment);
  });

  it('marks the key as refused if the server rejects the key', async () => {
    const { world, account, key } = await openSignedInWorld(server());
    await eventually(() => expect(world.count('following')).toBe(1));
    const { deployment } = await server().publish({ 'index.html': 'one' }, { key });
    await server().database.query('delete from token where account_id = $1', [account]);
    await server().database.query(
      `insert into activity (account_id, event, created, auth_method, meta) values ($1, 'account.update', now(), 'operator', '{}')`,
      [account],
    );
    await eventually(() => expect(world.signInState().is).toBe('refused'));
    expect(world.activities.filter((activity) => activity.deployment !== deployment)).toEqual([]);
  });
});
