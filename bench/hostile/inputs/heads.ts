import { CALLS, type Input, type Pace, repeated, VISITS } from '../input.ts';
import type { HostileRequest, World } from '../world.ts';

/** Sizes just below the maximum: 16 KiB for a request head, and 8 KiB for a request target. */
const HEADER_BYTES = 15_900;
const TARGET_BYTES = 8_000;

const fill = (text: string, bytes = HEADER_BYTES) => text.repeat(Math.floor(bytes / text.length));

/** Creates API requests whose headers are almost as long as the server accepts. */
const call = (label: string, headers: Record<string, string>): Input =>
  repeated('heads', label, () => ({ path: '/ping', headers }));

/** Creates visits whose headers are almost as long as the server accepts. */
const visit = (
  label: string,
  headers: Record<string, string>,
  host: (world: World) => string = ({ site }) => site,
): Input => repeated('visits', label, (world) => ({ path: '/', host: host(world), headers }), VISITS);

const target = (id: string, label: string, makeRequest: (world: World) => HostileRequest, pace: Pace = CALLS): Input =>
  repeated(id, label, makeRequest, pace);

/** Requests whose header values or targets are long and expensive to parse. */
export const HEAD_INPUTS: readonly Input[] = [
  repeated('S2', 'Content-Type with 16,000 tabs, anonymous', () => ({
    path: '/uploads',
    headers: { 'Content-Type': `application/json${'\t'.repeat(16_000)}x` },
    body: '{}',
  })),
  call('Authorization of 16 KB', { Authorization: `Bearer ship-${fill('a')}` }),
  call('Authorization of 16 KB of blanks', { Authorization: `Bearer${fill(' ')}x` }),
  call('Host of 16 KB', { Host: fill('a.') }),
  call('Origin of 16 KB', { Origin: `http://${fill('a.')}` }),
  call('X-Forwarded-For of 16 KB', { 'X-Forwarded-For': fill('1.1.1.1,') }),
  target('heads', 'Idempotency-Key of 15 KB, deploy token', ({ deployToken }) => ({
    path: '/uploads',
    key: deployToken,
    headers: { 'Idempotency-Key': fill('a', 15_000) },
    body: '{"files":[]}',
  })),
  target('heads', 'multipart boundary of 16 KB of blanks, anonymous', () => ({
    path: '/deployments',
    headers: { 'Content-Type': `multipart/form-data;${fill(' ', 15_000)}boundary=${'"'}` },
    body: Buffer.from('--'),
  })),
  target('targets', 'a cursor of 8 KB, API key', ({ apiKey }) => ({
    path: `/deployments?cursor=${fill('a', TARGET_BYTES)}`,
    key: apiKey,
  })),
  target('targets', 'a query of 4,000 names, API key', ({ apiKey }) => ({
    path: `/deployments?${fill('a&', TARGET_BYTES)}`,
    key: apiKey,
  })),
  target('targets', 'a target of 15 KB, anonymous', () => ({ path: `/ping?${fill('%61', 15_000)}` })),
  target(
    'targets',
    'a path of 4,000 segments on a site',
    ({ site }) => ({ path: fill('/a', TARGET_BYTES), host: site }),
    VISITS,
  ),
  target(
    'targets',
    'a path of 8 KB of escapes on a site',
    ({ site }) => ({ path: `/${fill('%2e%2F', TARGET_BYTES)}`, host: site }),
    VISITS,
  ),
  visit('Accept-Encoding of 16 KB', { 'Accept-Encoding': fill('a;q=0.5,') }),
  visit('Accept of 16 KB', { Accept: fill('*/*;q=0.1,') }),
  visit('If-None-Match of 16 KB', { 'If-None-Match': fill('"a",') }),
  visit('Range of 4,000 ranges', { Range: `bytes=${fill('0-0,')}` }),
  visit('Cookie of 16 KB at a protected site', { Cookie: fill('berth-unlock=a;') }, ({ lockedSite }) => lockedSite),
];
