import type { Trouble } from '@berth/testing/proxy';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';
import { deployFiles } from '../../src/browser/deploy.ts';
import { CANCELLED } from '../../src/deploy/input.ts';
import { makeWorld, typesOf } from '../deploy/worlds.ts';
import { collectEvents } from '../folder/folders.ts';

const server = useServer();
const BIG = new Blob([Buffer.alloc(9_000_000, 'big')]);
const FILES = [new File(['home'], 'index.html'), new File(['text'], 'a.txt'), new File([BIG], 'big.bin')];

describe('a deploy from a page', () => {
  it('sends each content once, and nothing that the server has', async () => {
    const { client, proxy, read, options } = await makeWorld(server(), {});
    const { retries } = options;
    const { events, result } = await collectEvents(deployFiles({ client, files: FILES }, { retries }));
    expect(new Set(typesOf(events))).toEqual(new Set(['walked', 'hashed', 'planned', 'uploaded', 'committed']));
    expect(events.findLast(({ type }) => type === 'uploaded')).toMatchObject({
      done: { files: 3, bytes: 9_000_008 },
    });
    expect(await read(result, '/')).toBe('home');
    expect(proxy.contents).toHaveLength(3);
    await collectEvents(deployFiles({ client, files: [...FILES, new File(['new'], 'b.txt')] }, { retries }));
    expect(proxy.contents).toHaveLength(4);
  });

  it.each<[string, Trouble]>([
    ['gets a 503', { status: 503, headers: { 'Retry-After': '0' } }],
    ['is cut in its body', { cutAfter: 20 }],
    ['loses its answer', 'lose-answer'],
  ])('succeeds if the first body %s', async (_, trouble) => {
    const { client, proxy, deployments, options } = await makeWorld(server(), {});
    proxy.trouble = ({ method }, _path, nth) => (method === 'PUT' && nth === 0 ? trouble : undefined);
    const { events } = await collectEvents(deployFiles({ client, files: FILES }, { retries: options.retries }));
    expect(typesOf(events)).toContain('retried');
    expect(await deployments()).toBe(1);
  });

  it('that is aborted publishes nothing, and leaves no open upload', async () => {
    const { client, account, deployments } = await makeWorld(server(), {});
    const stop = new AbortController();
    const deploy = deployFiles({ client, files: FILES }, { signal: stop.signal });
    await expect(async () => {
      for await (const { type } of deploy) if (type === 'planned') stop.abort(CANCELLED);
    }).rejects.toMatchObject({ kind: 'aborted' });
    expect(await deployments()).toBe(0);
    const uploads = await server().database.query('select 1 from upload where account_id = $1', [account]);
    expect(uploads).toEqual([]);
  });
});
