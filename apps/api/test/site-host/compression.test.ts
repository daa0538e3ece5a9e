import { promisify } from 'node:util';
import { brotliDecompress, gunzip, zstdDecompress } from 'node:zlib';
import { useServer } from '@berth/testing/use-server';
import { beforeAll, expect, it } from 'vitest';

const DECOMPRESS = {
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
  gzip: promisify(gunzip),
} as const;
const PAGE = '<p>A quay is where a berth is.</p>\n'.repeat(100);

const server = useServer({ env: { COMPRESSION: 'on' } });
let site: string;
beforeAll(async () => {
  ({ deployment: site } = await server().publish({ 'index.html': PAGE }));
});

const visit = (coding: string) => server().visit(site, '/', { headers: { 'Accept-Encoding': coding } });

it.each(['br', 'zstd', 'gzip'] as const)(
  'a site is sent uncompressed at first and as %s once that is ready, with an ETag of its own (S44, S48, S50)',
  async (coding) => {
    const plain = await visit('identity');
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(plain.text).toBe(PAGE);
    // Until its form is ready, the content is sent uncompressed.
    await expect.poll(async () => (await visit(coding)).headers['content-encoding']).toBe(coding);
    const answer = await visit(coding);
    expect(answer.status).toBe(200);
    expect(answer.bytes.length).toBeLessThan(PAGE.length / 10);
    expect((await DECOMPRESS[coding](answer.bytes)).toString()).toBe(PAGE);
    expect(answer.headers).toMatchObject({
      'content-length': String(answer.bytes.length),
      etag: (plain.headers['etag'] as string).replace(/"$/, `-${coding}"`),
      vary: expect.stringContaining('Accept-Encoding'),
    });
    expect((await server().api(`/deployments/${site}`)).json()['size']).toBe(PAGE.length);
  },
);
