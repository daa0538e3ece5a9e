import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { bytesOf, type FileSpec } from './content.ts';
import { definite, type Wire } from './exchange.ts';
import type { HttpResponse } from './http.ts';
import type { Client, Site } from './oracle.ts';

/** After this time, every process shows a change. A cache may be used for a second after it was confirmed. */
export const FRESH_MS = 1_500;

const STATUSES = [200, 401, 404, 451];

const hostOfSite = ({ id }: Site): string => `${id}.localhost`;

/** Requests one path of a host. */
async function visit(
  wire: Wire,
  host: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<HttpResponse> {
  wire.tally.visits += 1;
  return (await definite(wire, `visit ${host}/${path}`, () => ({ host, path: `/${path}`, headers }), STATUSES))
    .response;
}

/** Checks what a visitor of one file gets. Changes must have been acknowledged {@link FRESH_MS} ago. */
export async function checkFile(
  wire: Wire,
  site: Site,
  file: FileSpec,
  { host = hostOfSite(site), coding = 'identity', nowSeconds }: { host?: string; coding?: string; nowSeconds: number },
): Promise<void> {
  const { violations } = wire;
  if (site.expires !== null && nowSeconds > site.expires - 5) site.mayHaveExpired = true;
  const headers = { 'Accept-Encoding': coding, ...(site.cookie === null ? {} : { Cookie: site.cookie }) };
  const response = await visit(wire, host, file.path, headers);
  const at = `${host}/${file.path} (${site.marker})`;
  const { status } = response;
  if (site.state === 'deleted') {
    violations.require(status === 404, 'gone', () => `${at} was deleted, and returned ${status}`);
    return;
  }
  if (site.state === 'taken-down') {
    violations.require(status === 451, 'gone', () => `${at} was taken down, and returned ${status}`);
    return;
  }
  if (site.mayHaveExpired) {
    if (nowSeconds > site.expires! + 5)
      violations.require(status === 404, 'gone', () => `${at} has expired, and returned ${status}`);
    return;
  }
  if (site.password !== null && site.cookie === null) {
    violations.require(
      status === 401,
      'protected',
      () => `${at} is protected, and returned ${status} without a cookie`,
    );
    return;
  }
  if (!violations.require(status === 200, 'acknowledged-bytes', () => `${at} returned ${status}`)) return;
  const isSame = decode(response)?.equals(bytesOf(file)) ?? false;
  violations.require(isSame, 'acknowledged-bytes', () => `${at} has other bytes: ${describe(response, file)}`);
}

/** Unlocks a protected site, so that its bytes can be checked. */
export async function unlock(wire: Wire, site: Site): Promise<void> {
  const { violations } = wire;
  const { id, oldPassword, password } = site;
  if (oldPassword !== null && oldPassword !== password) {
    const { status } = await enter(wire, site, oldPassword);
    violations.require(status === 401, 'protected', () => `the old password of ${id} returned ${status}`);
  }
  const response = await enter(wire, site, password!);
  const [cookie] = [response.headers['set-cookie'] ?? []].flat();
  if (
    violations.require(
      response.status === 303 && cookie !== undefined,
      'protected',
      () => `the password of ${id} returned ${response.status}`,
    )
  )
    site.cookie = cookie!.split(';')[0]!;
}

async function enter(wire: Wire, site: Site, password: string): Promise<HttpResponse> {
  const request = () => ({
    host: hostOfSite(site),
    path: '/.berth/unlock',
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: Buffer.from(new URLSearchParams({ password }).toString()),
  });
  return (await definite(wire, `unlock ${site.id}`, request, [303, 401], 'protected')).response;
}

/** Checks that the domain of a client shows the right site. */
export async function checkDomain(wire: Wire, { domain, shown }: Client, nowSeconds: number): Promise<void> {
  if (!shown) return;
  const [index] = shown.files;
  // A cookie opens one host only.
  if (shown.password !== null) {
    const { status } = await visit(wire, domain, index!.path);
    wire.violations.require(
      status === 401,
      'protected',
      () => `${domain} shows a protected site, and returned ${status}`,
    );
    return;
  }
  const response = await visit(wire, domain, index!.path, { 'Accept-Encoding': 'identity' });
  const isRight = response.status === 200 && response.bytes.equals(bytesOf(index!));
  wire.violations.require(
    isRight,
    'domain-order',
    () =>
      `${domain} must show ${shown.id} (${shown.marker}) at ${nowSeconds}, and returned ${response.status} ${response.text().slice(0, 40)}`,
  );
}

function decode({ headers, bytes }: HttpResponse): Buffer | null {
  try {
    switch (headers['content-encoding']) {
      case undefined:
        return bytes;
      case 'br':
        return brotliDecompressSync(bytes);
      case 'gzip':
        return gunzipSync(bytes);
      case 'zstd':
        return zstdDecompressSync(bytes);
      default:
        return null;
    }
  } catch {
    return null;
  }
}

function describe({ bytes, headers }: HttpResponse, { size }: FileSpec): string {
  return `${bytes.length} bytes (${headers['content-encoding'] ?? 'identity'}), expected ${size}`;
}
