import { promisify } from 'node:util';
import { brotliDecompress, gunzip, zstdDecompress } from 'node:zlib';
import { useServer } from '@berth/testing/use-server';
import { beforeAll, expect, it } from 'vitest';

const DECOMPRESSORS = {
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
  gzip: promisify(gunzip),
} as const;
const PAGE = '<p>A quay is where a berth is.</p>\n'.repeat(100);

const server = useServer({ env: { COMPRESSION: 'on' } });
let siteId: string;
beforeAll(async () => {
  ({ deployment: siteId } = await server().publish({ 'index.html': PAGE }));
});

const visit = (coding: string) => server().visit(siteId, '/', { headers: { 'Accept-Encoding': coding } });

it.each(['br', 'zstd', 'gzip'] as const)(
  'a page is sent uncompressed at first and as %s once this form is ready, with a different ETag (S44, S48, S50)',
  async (coding) => {
    const uncompressedResponse = await visit('identity');
    expect(uncompressedResponse.headers['content-encoding']).toBeUndefined();
    expect(uncompressedResponse.text).toBe(PAGE);
    // Until its form is ready, the content is sent uncompressed.
    await expect.poll(async () => (await visit(coding)).headers['content-encoding']).toBe(coding);
    const response = await visit(coding);
    expect(response.status).toBe(200);
    expect(response.bytes.length).toBeLessThan(PAGE.length / 10);
    expect((await DECOMPRESSORS[coding](response.bytes)).toString()).toBe(PAGE);
    expect(response.headers).toMatchObject({
      'content-length': String(response.bytes.length),
      etag: (uncompressedResponse.headers['etag'] as string).replace(/"$/, `-${coding}"`),
      vary: expect.stringContaining('Accept-Encoding'),
    });
    expect((await server().api(`/deployments/${siteId}`)).json()['size']).toBe(PAGE.length);
  },
);
