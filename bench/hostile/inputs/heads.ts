import { CALL_PACE, type Input, type Pace, repeatedInput, VISIT_PACE } from '../input.ts';
import type { HostileRequest, World } from '../world.ts';

/** Sizes just below the maximum: 16 KiB for a request head, and 8 KiB for a request target. */
const HEADER_BYTES = 15_900;
const TARGET_BYTES = 8_000;

const repeatToLength = (text: string, bytes = HEADER_BYTES) => text.repeat(Math.floor(bytes / text.length));

/** Creates API requests whose headers are almost as long as the server accepts. */
const inputWithHeaders = (label: string, headers: Record<string, string>): Input =>
  repeatedInput('heads', label, () => ({ path: '/ping', headers }));

/** Creates visits whose headers are almost as long as the server accepts. */
const visit = (
  label: string,
  headers: Record<string, string>,
  host: (world: World) => string = ({ site }) => site,
): Input => repeatedInput('visits', label, (world) => ({ path: '/', host: host(world), headers }), VISIT_PACE);

const target = (
  id: string,
  label: string,
  makeRequest: (world: World) => HostileRequest,
  pace: Pace = CALL_PACE,
): Input => repeatedInput(id, label, makeRequest, pace);

/** Requests whose header values or targets are long and expensive to parse. */
export const HEAD_INPUTS: readonly Input[] = [
  repeatedInput('S2', 'Content-Type with 16,000 tabs, anonymous', () => ({
    path: '/uploads',
    headers: { 'Content-Type': `application/json${'\t'.repeat(16_000)}x` },
    body: '{}',
  })),
  inputWithHeaders('Authorization of 16 KB', { Authorization: `Bearer ship-${repeatToLength('a')}` }),
  inputWithHeaders('Authorization of 16 KB of blanks', { Authorization: `Bearer${repeatToLength(' ')}x` }),
  inputWithHeaders('Host of 16 KB', { Host: repeatToLength('a.') }),
  inputWithHeaders('Origin of 16 KB', { Origin: `http://${repeatToLength('a.')}` }),
  inputWithHeaders('X-Forwarded-For of 16 KB', { 'X-Forwarded-For': repeatToLength('1.1.1.1,') }),
  target('heads', 'Idempotency-Key of 15 KB, deploy token', ({ deployToken }) => ({
    path: '/uploads',
    key: deployToken,
    headers: { 'Idempotency-Key': repeatToLength('a', 15_000) },
    body: '{"files":[]}',
  })),
  target('heads', 'multipart boundary of 16 KB of blanks, anonymous', () => ({
    path: '/deployments',
    headers: { 'Content-Type': `multipart/form-data;${repeatToLength(' ', 15_000)}boundary=${'"'}` },
    body: Buffer.from('--'),
  })),
  target('targets', 'a cursor of 8 KB, API key', ({ apiKey }) => ({
    path: `/deployments?cursor=${repeatToLength('a', TARGET_BYTES)}`,
    key: apiKey,
  })),
  target('targets', 'a query of 4,000 names, API key', ({ apiKey }) => ({
    path: `/deployments?${repeatToLength('a&', TARGET_BYTES)}`,
    key: apiKey,
  })),
  target('targets', 'a target of 15 KB, anonymous', () => ({ path: `/ping?${repeatToLength('%61', 15_000)}` })),
  target(
    'targets',
    'a path of 4,000 segments on a site',
    ({ site }) => ({ path: repeatToLength('/a', TARGET_BYTES), host: site }),
    VISIT_PACE,
  ),
  target(
    'targets',
    'a path of 8 KB of escapes on a site',
    ({ site }) => ({ path: `/${repeatToLength('%2e%2F', TARGET_BYTES)}`, host: site }),
    VISIT_PACE,
  ),
  visit('Accept-Encoding of 16 KB', { 'Accept-Encoding': repeatToLength('a;q=0.5,') }),
  visit('Accept of 16 KB', { Accept: repeatToLength('*/*;q=0.1,') }),
  visit('If-None-Match of 16 KB', { 'If-None-Match': repeatToLength('"a",') }),
  visit('Range of 4,000 ranges', { Range: `bytes=${repeatToLength('0-0,')}` }),
  visit(
    'Cookie of 16 KB at a protected site',
    { Cookie: repeatToLength('berth-unlock=a;') },
    ({ lockedSite }) => lockedSite,
  ),
];
