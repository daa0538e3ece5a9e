import { promisify } from 'node:util';
import { brotliDecompress, gunzip, zstdDecompress } from 'node:zlib';
import { useServer } from '@berth/testing/use-server';
import { beforeAll, describe, expect, it } from 'vitest';

const DECOMPRESS = {
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
  gzip: promisify(gunzip),
} as const;
const PAGE = '<p>A quay is where a berth is.</p>\n'.repeat(100);

const server = useServer({ env: { COMPRESSION: 'on' } });
let site: string;
beforeAll(async () => {
  ({ deployment: site } = await server().publish({ 'index.html': PAGE, 'photo.jpg': PAGE }));
});

const visit = (accepted: string, path = '/') =>
  server().visit(site, path, { headers: { 'Accept-Encoding': accepted } });
/** The answer once the forms are ready; until then the content is sent uncompressed. */
const askCompressed = (accepted: string) =>
  expect
    .poll(async () => (await visit(accepted)).headers['content-encoding'])
    .toBe(accepted)
    .then(() => visit(accepted));

describe('a site that was just published', () => {
  it.each(['br', 'zstd', 'gzip'] as const)(
    'is sent uncompressed at first and as %s once that is ready, with an ETag of its own (S44, S48, S50)',
    async (coding) => {
      const plain = await visit('identity');
      expect(plain.headers['content-encoding']).toBeUndefined();
      expect(plain.text).toBe(PAGE);
      const answer = await askCompressed(coding);
      expect(answer.status).toBe(200);
      expect(answer.bytes.length).toBeLessThan(PAGE.length / 10);
      expect((await DECOMPRESS[coding](answer.bytes)).toString()).toBe(PAGE);
      expect(answer.headers).toMatchObject({
        'content-length': String(answer.bytes.length),
        etag: (plain.headers['etag'] as string).replace(/"$/, `-${coding}"`),
        vary: expect.stringContaining('Accept-Encoding'),
      });
    },
  );

  it('is not compressed where that saves nothing (S48)', async () => {
    await askCompressed('br');
    const { headers, text } = await visit('br', '/photo.jpg');
    expect([headers['content-encoding'], text]).toEqual([undefined, PAGE]);
  });

  it('does not include compressed bytes in its size (S48)', async () => {
    await askCompressed('br');
    expect((await server().api(`/deployments/${site}`)).json()['size']).toBe(2 * PAGE.length);
  });
});
