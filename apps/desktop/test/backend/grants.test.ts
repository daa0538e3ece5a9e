import { symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { Grants } from '../../src/main/grants.ts';
import { makeSite } from './desktop.ts';

let dir: string;
let site: string;
let file: string;
beforeEach(() => {
  dir = makeSite({ 'photo.jpg': 'pixels', 'site/index.html': 'one' });
  [site, file] = [join(dir, 'site'), join(dir, 'photo.jpg')];
});

test('a grant has 128 random bits and reveals the name of the item but not its path (desktop §6)', async () => {
  const grantedItems = await new Grants().give([site, file, site]);
  expect(grantedItems).toEqual([
    { grant: expect.stringMatching(/^[0-9a-f]{32}$/), name: 'site', kind: 'folder' },
    { grant: expect.stringMatching(/^[0-9a-f]{32}$/), name: 'photo.jpg', kind: 'file' },
    { grant: expect.stringMatching(/^[0-9a-f]{32}$/), name: 'site', kind: 'folder' },
  ]);
  expect(new Set(grantedItems.map(({ grant }) => grant)).size).toBe(3);
  expect(JSON.stringify(grantedItems)).not.toContain(dir);
});

test('a grant is used up by `take` but not by `peek`, and both refuse an unknown grant (desktop §6)', async () => {
  const grants = new Grants();
  const [given] = await grants.give([site]);
  expect(() => grants.take('0'.repeat(32))).toThrow(expect.objectContaining({ kind: 'refused' }));
  expect(grants.peek(given!.grant)).toEqual({ path: site, kind: 'folder' });
  expect(grants.take(given!.grant)).toEqual({ path: site, kind: 'folder' });
  expect(() => grants.take(given!.grant)).toThrow(expect.objectContaining({ kind: 'refused' }));
  expect(() => grants.peek(given!.grant)).toThrow('Drop the item again');
});

test('a grant is valid for an hour', async () => {
  let now = 1_000_000;
  const grants = new Grants(() => now);
  const [given] = await grants.give([site]);
  now += 3_599_999;
  expect(grants.peek(given!.grant).path).toBe(site);
  now += 1;
  expect(() => grants.peek(given!.grant)).toThrow(expect.objectContaining({ kind: 'refused' }));
});

test('the oldest grants are dropped when there are more than 10,000 grants', async () => {
  const grants = new Grants();
  const [first, second] = await grants.give([site, file]);
  await grants.give(Array.from({ length: 9_999 }, () => file));
  expect(() => grants.peek(first!.grant)).toThrow('has expired');
  expect(grants.peek(second!.grant).path).toBe(file);
});

test('a path gets no grant if it is relative, missing, or neither a folder nor a file', async () => {
  const socket = join(dir, 'socket');
  const server = createServer().listen(socket);
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  symlinkSync(join(dir, 'nowhere'), join(dir, 'broken'));
  expect(await new Grants().give(['site', './site', join(dir, 'gone'), join(dir, 'broken'), socket])).toEqual([]);
});

test('a grant for a symbolic link has the kind of the target', async () => {
  symlinkSync(site, join(dir, 'current'));
  expect(await new Grants().give([join(dir, 'current')])).toMatchObject([{ name: 'current', kind: 'folder' }]);
});
