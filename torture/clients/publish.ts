import { gzipSync } from 'node:zlib';
import type { BegunUpload, CreatedDeployment } from '@berth/contract';
import { contentOf } from '@berth/testing/delta';
import { formOf } from '@berth/testing/requests';
import { tarOf } from '@berth/testing/tar-bytes';
import { zipOf } from '@berth/testing/zip-bytes';
import { bytesOf, digestOf, type FileSpec } from './content.ts';
import { definite, UnexpectedResponse, type Wire } from './exchange.ts';
import type { HttpRequest, HttpResponse } from './http.ts';
import { type Client, keepRepeatable, markDeleted, markShown, type Order, type Site } from './oracle.ts';

const API = 'localhost';
const ARCHIVE_TYPES = { tar: 'application/x-tar', gzip: 'application/gzip', zip: 'application/zip' };
/** The end-of-archive marker of a tar. Without it, a tar is cut. */
const TAR_END_BYTES = 1_024;

/** Sends a deploy until it is acknowledged, and records the site. */
export async function publish(wire: Wire, client: Client, order: Order): Promise<Site> {
  client.orders.push(order);
  const { response } = order.kind === 'delta' ? await sendDelta(wire, client, order) : await sendWhole(wire, order);
  const body = response.json<CreatedDeployment>();
  wire.tally.acknowledged += 1;
  order.deployment = body.deployment;
  order.body = response.text();
  // The key of a token that is revoked afterwards cannot be replayed.
  if (order.key !== null && (order.credential === null || order.credential === client.key))
    keepRepeatable(client, order);
  const size = order.files.reduce((sum, file) => sum + file.size, 0);
  wire.violations.require(
    body.files === order.files.length && body.size === size,
    'acknowledged-bytes',
    () =>
      `${order.marker} has ${order.files.length} files of ${size} bytes, and the 201 has ${body.files} of ${body.size}`,
  );
  return recordSite(wire, client, order, body);
}

function recordSite(wire: Wire, client: Client, order: Order, body: CreatedDeployment): Site {
  const inherited = order.domain !== null && order.password === null ? (client.shown?.password ?? null) : null;
  const site: Site = {
    id: body.deployment,
    marker: order.marker,
    files: order.files,
    password: order.password ?? inherited,
    oldPassword: null,
    cookie: null,
    expires: order.ttl === null ? null : (body.expires ?? null),
    mayHaveExpired: false,
    state: 'live',
    uncertain: false,
    changedAt: performance.now(),
  };
  wire.violations.require(
    body.password === (site.password !== null),
    'protected',
    () =>
      `${order.marker} must ${site.password === null ? 'not ' : ''}have a password${inherited === null ? '' : ', that of its domain'}`,
  );
  for (const id of body.deleted ?? []) {
    const deleted = client.sites.find((other) => other.id === id);
    if (deleted) markDeleted(client, deleted);
    client.changes.push({ event: 'deployment.delete', deployment: id });
  }
  if (order.credential !== null) {
    client.sites.push(site);
    client.changes.push({ event: 'deployment.create', deployment: site.id });
  }
  if (order.domain !== null) {
    markShown(client, site);
    checkKept(wire, client, order, body);
    wire.tally.domainChanges += 1;
  }
  return site;
}

/** A deploy with `keep` must delete no version among the last ones that the domain has shown. */
function checkKept(
  { violations }: Wire,
  { history }: Client,
  { keep, marker }: Order,
  { deleted = [] }: CreatedDeployment,
): void {
  if (keep === null) return;
  const recent = deleted.filter((id) => history.slice(-keep).includes(id));
  violations.require(
    recent.length === 0,
    'domain-order',
    () => `${marker} kept ${keep} versions, and deleted the recent ${recent.join(', ')}`,
  );
}

async function sendWhole(wire: Wire, order: Order): Promise<{ response: HttpResponse }> {
  return definite(wire, `deploy ${order.marker} (${order.kind})`, () => (order.attempts++, encode(order)), [201]);
}

/** Sends a deploy that must publish nothing, because its body is cut or wrong. */
export async function publishSpoilt({ http, tally, violations }: Wire, client: Client, order: Order): Promise<void> {
  client.orders.push(order);
  const request = encode(order);
  const end = order.kind === 'tar' ? request.body!.length - TAR_END_BYTES - 1 : request.body!.length - 10;
  const cutAfter = Math.max(1, Math.floor(client.random() * end));
  tally.requests += 1;
  const response = await http(order.spoilt === 'cut' ? { ...request, cutAfter } : request).catch(() => null);
  const isRefused = response === null || response.status === 400 || response.status === 503;
  violations.require(
    isRefused,
    'one-deployment',
    () => `${order.marker} (${order.kind}, ${order.spoilt}) returned ${response!.status}`,
  );
}

/** Repeats an acknowledged deploy. The response must be the same. */
export async function replay(wire: Wire, order: Order): Promise<void> {
  if (order.kind === 'delta') return;
  const { response } = await definite(wire, `replay ${order.marker}`, () => encode(order), [201], 'replays');
  const isSame = response.text() === order.body && response.headers['idempotency-replay'] === 'true';
  wire.violations.require(isSame, 'replays', () => `${order.marker}: ${response.text()} instead of ${order.body}`);
}

function encode(order: Order): HttpRequest {
  const files = Object.fromEntries(order.files.map((file) => [file.path, bytesOf(file)]));
  const { kind, key, credential, password, ttl, domain, keep, marker } = order;
  const headers: Record<string, string> = key === null ? {} : { 'Idempotency-Key': key };
  const options = {
    ...(ttl === null ? {} : { ttl: String(ttl) }),
    ...(domain === null ? {} : { domain }),
    ...(keep === null ? {} : { keep: String(keep) }),
  };
  const request = { host: API, method: 'POST', key: credential };
  if (kind === 'form' || kind === 'delta') {
    const wrong = order.spoilt === 'wrong checksum' && {
      checksums: JSON.stringify(order.files.map(() => '0'.repeat(32))),
    };
    const fields = {
      labels: JSON.stringify([marker]),
      ...options,
      ...(password === null ? {} : { password }),
      ...wrong,
    };
    const { contentType, body } = formOf(files, fields);
    return { ...request, path: '/deployments', headers: { ...headers, 'Content-Type': contentType }, body };
  }
  const archive = kind === 'zip' ? zipOf(files) : kind === 'tar' ? tarOf(files) : gzipSync(tarOf(files));
  return {
    ...request,
    path: `/deployments?${new URLSearchParams({ label: marker, ...options }).toString()}`,
    headers: {
      ...headers,
      'Content-Type': ARCHIVE_TYPES[kind],
      ...(password === null ? {} : { 'Berth-Password': password }),
    },
    body: archive,
  };
}

/** Begins an upload, sends its contents in two bodies, of which the first may be cut, and commits it. */
async function sendDelta(wire: Wire, client: Client, order: Order): Promise<{ response: HttpResponse }> {
  const { credential: key, domain, keep, marker, password, ttl } = order;
  const files = order.files.map((file) => ({ path: file.path, size: file.size, sha256: digestOf(file) }));
  const json = {
    files,
    labels: [marker],
    ...(domain === null ? {} : { domain }),
    ...(keep === null ? {} : { keep }),
    ...(password === null ? {} : { password }),
    ...(ttl === null ? {} : { ttl }),
  };
  const headers = { 'Idempotency-Key': order.key! };
  const begin = () => ({ host: API, method: 'POST', path: '/uploads', key, headers, json });
  const bySha = new Map<string, FileSpec>(order.files.map((file, i) => [files[i]!.sha256, file]));
  for (;;) {
    const { response } = await definite(wire, `begin ${marker}`, begin, [201]);
    const { upload, missing } = response.json<BegunUpload>();
    if (missing.length > 0)
      await sendContents(wire, client, { key, upload, contents: missing.map((sha) => bySha.get(sha)!) });
    order.attempts += 1;
    const commit = () => ({ host: API, method: 'POST', path: `/uploads/${upload}/commit`, key });
    const outcome = await definite(wire, `commit ${marker}`, commit, [200, 201, 422]);
    // 422 means that contents are missing: the body that contained them was lost.
    if (outcome.response.status !== 422) return outcome;
    if (!outcome.response.text().includes('have not been sent')) {
      wire.violations.add('answers', `commit ${marker}: ${outcome.response.text()}`);
      throw new UnexpectedResponse(marker);
    }
  }
}

async function sendContents(
  { http, tally }: Wire,
  { random }: Client,
  { key, upload, contents }: { key: string | null; upload: string; contents: readonly FileSpec[] },
): Promise<void> {
  const body = Buffer.concat(contents.map((file) => contentOf(bytesOf(file))));
  const headers = { 'Content-Type': 'application/vnd.berth.contents' };
  const request = { host: API, method: 'PUT', path: `/uploads/${upload}/contents`, key, headers, body };
  tally.requests += 1;
  const cut = random() < 0.3 ? { cutAfter: Math.floor(random() * body.length) } : {};
  await http({ ...request, ...cut }).catch(() => null);
  if ('cutAfter' in cut) await http(request).catch(() => null);
}
