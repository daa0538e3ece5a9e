import { expectError, footprintOf } from '@berth/testing/expectations';
import { OWNER_KEY } from '@berth/testing/requests';
import { tarOf } from '@berth/testing/tar-bytes';
import { listOf } from '@berth/testing/uploads';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';
import { sendArchive } from '../archives/publish-archive.ts';

const FILES = { 'index.html': 'home' };

describe('api §10: with ANONYMOUS_DEPLOYS=off', () => {
  const server = useServer({ env: { ANONYMOUS_DEPLOYS: 'off' } });

  it.each([
    ['a multipart deploy', () => server().deploy(FILES, { key: null })],
    ['an archive', () => sendArchive(server(), tarOf(FILES), { key: null })],
    ['an upload', () => server().api('/uploads', { method: 'POST', key: null, json: { files: listOf(FILES) } })],
    [
      'an upload by tRPC',
      () => server().api('/trpc/deployments.begin', { method: 'POST', key: null, json: { files: listOf(FILES) } }),
    ],
    ['a commit', () => server().api(`/uploads/${'0'.repeat(32)}/commit`, { method: 'POST', key: null })],
  ])('%s without a credential is refused, and stores nothing', async (_, send) => {
    const before = await footprintOf(server());
    const response = await send();
    expect(response.status).toBe(403);
    expect(response.text).toContain('This server accepts no anonymous deploys.');
    expect(await footprintOf(server())).toEqual(before);
  });

  it('a deploy with a credential is published', async () => {
    expect((await server().deploy(FILES, { key: OWNER_KEY })).status).toBe(201);
  });

  it('other requests without a credential are still answered as before', async () => {
    expect((await server().api('/plans', { key: null })).status).toBe(200);
    expectError(await server().api('/deployments', { key: null }), 'authentication_failed');
  });
});
