import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, test } from 'vitest';
import { deployFolder } from '../../src/deploy/deploy.ts';
import type { DeployEvent } from '../../src/deploy/events.ts';
import { collectEvents, writeFiles } from '../folder/folders.ts';
import { makeWorld, untilSettled, sha256, type World } from './worlds.ts';

const server = useServer();
const EVENTS = ['walked', 'hashed', 'planned', 'uploaded', 'committed', 'linked'] as const;
/** A site with small contents, and with contents that are large enough for separate bodies. */
const SITE = {
  ...Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`f/${i}.txt`, `file ${i}`])),
  'one.bin': Buffer.alloc(5_000_000, 'one'),
  'two.bin': Buffer.alloc(5_000_000, 'two'),
};

/** Checks that each content was sent at most once, and that the site is live. */
async function expectFinished(world: World, deployments: number): Promise<void> {
  const sentTwice = world.proxy.contents.filter((content, i, all) => all.indexOf(content) !== i);
  expect(sentTwice).toEqual([]);
  expect(world.proxy.contents.toSorted()).toEqual(Object.values(SITE).map(sha256).toSorted());
  expect(await world.deployments()).toBe(deployments);
}

let domains = 0;
const freshDomain = () => `broken${(domains += 1)}.localhost`;

/** Returns the number of deployments after the next run, which does not resume a finished deploy. */
const deploymentsAfter = (event: DeployEvent['type']) => (event === 'committed' || event === 'linked' ? 2 : 1);

describe.each(EVENTS)('a deploy that is interrupted at the event %s', (event) => {
  const WAYS = [
    [
      'because the caller aborts',
      async ({ folder, client, options }: World, domain: string) => {
        const aborting = new AbortController();
        const events = deployFolder({ folder, client, domain }, { ...options, signal: aborting.signal });
        for (;;) {
          const nextStep = await events.next().catch((error: unknown) => error as Error);
          if (nextStep instanceof Error) return expect(nextStep).toMatchObject({ kind: 'aborted' });
          if (nextStep.done) return;
          if (nextStep.value.type === event) aborting.abort();
        }
      },
    ],
    [
      'because the caller stops iterating',
      async ({ folder, client, options }: World, domain: string) => {
        for await (const { type } of deployFolder({ folder, client, domain }, options)) if (type === event) break;
      },
    ],
    [
      'because its process is killed',
      async ({ proxy, key, folder, cacheDir }: World, domain: string) => {
        const args = [proxy.url, key, folder, cacheDir, domain, 'delta', event];
        const child = spawn(process.execPath, [join(import.meta.dirname, 'killed-client.ts'), ...args], {
          stdio: ['ignore', 'ignore', 'inherit'],
        });
        const [, signal] = await once(child, 'close');
        expect(signal).toBe('SIGKILL');
      },
    ],
  ] as const;

  test.each(WAYS)('is completed by the next run, which sends no content twice, if it ended %s', async (_, end) => {
    const world = await makeWorld(server(), SITE);
    const domain = freshDomain();
    await end(world, domain);
    await untilSettled(world);
    const { result } = await world.deploy({ domain });
    await expectFinished(world, deploymentsAfter(event));
    const { deployment } = await world.client.api.domains.get.query({ domain });
    expect(deployment).toBe(result.deployment);
    expect(await world.read(result, '/f/7.txt')).toBe('file 7');
  });
});

test('an interrupted deploy is not resumed if the folder has changed since', async () => {
  const world = await makeWorld(server(), SITE);
  for await (const { type } of deployFolder({ folder: world.folder, client: world.client }, world.options))
    if (type === 'uploaded') break;
  await untilSettled(world);
  writeFiles(world.folder, { 'f/0.txt': 'another one' });
  const { result } = await world.deploy();
  expect(await world.read(result, '/f/0.txt')).toBe('another one');
  expect(world.proxy.contents.filter((one, i, all) => all.indexOf(one) !== i)).toEqual([]);
});

test('an interrupted deploy is not resumed with another password', async () => {
  const world = await makeWorld(server(), { 'index.html': 'hi' });
  world.proxy.trouble = (_req, path) => (path.endsWith('commit') ? { status: 400 } : undefined);
  const deployOptions = { folder: world.folder, client: world.client };
  await expect(
    collectEvents(deployFolder({ ...deployOptions, password: 'first word' }, world.options)),
  ).rejects.toThrow();
  world.proxy.trouble = () => undefined;
  const { result } = await world.deploy({ password: 'second word' });
  expect(result.password).toBe(true);
  expect(await world.deployments()).toBe(1);
});

test('a multipart deploy whose response was lost is repeated with the same idempotency key', async () => {
  const world = await makeWorld(server(), { 'index.html': 'hi', 'a.txt': 'a' });
  world.proxy.trouble = (_req, path) => (path === '/deployments' ? 'lose-answer' : undefined);
  const once = { delta: false, retries: { attempts: 0 } };
  await expect(world.deploy({}, once)).rejects.toMatchObject({ kind: 'network' });
  world.proxy.trouble = () => undefined;
  await world.deploy({}, once);
  expect(await world.deployments()).toBe(1);
});
