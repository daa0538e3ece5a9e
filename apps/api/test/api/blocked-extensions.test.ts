import type { ErrorBody } from '@berth/contract';
import { file, multipart, post, withChecksums } from '@berth/testing/multipart';
import type { HttpResponse } from '@berth/testing/requests';
import type { TestServer } from '@berth/testing/server';
import { listOf } from '@berth/testing/uploads';
import { useServer } from '@berth/testing/use-server';
import { describe, expect, it } from 'vitest';
import { sendArchive } from '../archives/publish-archive.ts';
import { tarOf } from '@berth/testing/tar-bytes';

const FILES = { 'index.html': 'home', 'film.MP4': 'film', 'setup.exe': 'program', 'a/b.zip': 'archive' };

const WAYS_TO_DEPLOY: [way: string, deploy: (server: TestServer) => Promise<HttpResponse>][] = [
  [
    'a multipart deploy',
    (server) => post(server, multipart(withChecksums(Object.entries(FILES).map(([path, text]) => file(path, text))))),
  ],
  ['an archive', (server) => sendArchive(server, tarOf(FILES))],
  ['an upload', (server) => server.api('/uploads', { method: 'POST', json: { files: listOf(FILES) } })],
];

describe.each([
  ['mp4, .Zip', ['mp4', 'zip'], ['film.MP4', 'a/b.zip']],
  ['none', [], []],
])('api §10: with BLOCKED_EXTENSIONS=%s', (list, blockedExtensions, refusedPaths) => {
  const server = useServer({ env: { BLOCKED_EXTENSIONS: list } });

  it('GET /limits shows the list', async () => {
    expect((await server().api('/limits')).json()).toMatchObject({ blockedExtensions });
  });

  it.each(WAYS_TO_DEPLOY)('%s is refused for exactly the files of these types', async (_, deploy) => {
    const response = await deploy(server());
    const { details } = response.json<Partial<ErrorBody>>();
    const issues = (details?.['issues'] ?? []) as { path: string }[];
    expect({ status: response.status, paths: issues.map(({ path }) => path) }).toEqual({
      status: refusedPaths.length > 0 ? 400 : 201,
      paths: refusedPaths,
    });
  });
});
