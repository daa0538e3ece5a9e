import { type Input, listOf, repeatedInput } from '../input.ts';
import type { HostileRequest, World } from '../world.ts';

const MB = 1_000_000;
/** The largest body with which an anonymous client may begin an upload, in bytes. */
const ANONYMOUS_BYTES = 1.3 * MB;
/** More than the 4.5 MB that once stopped a server. Such a body needs a deploy token of the largest plan. */
const TOKEN_BYTES = 9 * MB;
const JSON_BYTES = 1024 ** 2 - 64;

const beginUpload = (body: string, key?: string): HostileRequest => ({
  path: '/uploads',
  body,
  ...(key === undefined ? {} : { key }),
});

const beginByToken = (id: string, label: string, body: (world: World) => string): Input =>
  repeatedInput(id, label, (world) => beginUpload(body(world), world.deployToken));

/** Long lists of invalid items, and other JSON that is expensive to check. */
export const JSON_INPUTS: readonly Input[] = [
  repeatedInput('S1', '1.3 MB of {} as files, anonymous', () =>
    beginUpload(`{"files":${listOf('{}', ANONYMOUS_BYTES)}}`),
  ),
  repeatedInput('S1', '1.3 MB of {} as files, anonymous, by tRPC', () => ({
    path: '/trpc/deployments.begin',
    body: `{"files":${listOf('{}', ANONYMOUS_BYTES)}}`,
  })),
  repeatedInput('S1', 'a tRPC batch of 10 times 130 kB of {}, anonymous', () => ({
    path: `/trpc/${Array.from({ length: 10 }, () => 'deployments.begin').join(',')}?batch=1`,
    body: `{${Array.from({ length: 10 }, (_, n) => `"${n}":{"files":${listOf('{}', ANONYMOUS_BYTES / 10 - 32)}}`).join(',')}}`,
  })),
  beginByToken('S1', '9 MB of {} as files, deploy token', () => `{"files":${listOf('{}', TOKEN_BYTES)}}`),
  beginByToken('S1', '9 MB of {} as put, deploy token', ({ site }) =>
    formatChangeUpload(site, listOf('{}', TOKEN_BYTES), '[]'),
  ),
  beginByToken('S1', '9 MB of 1 as remove, deploy token', ({ site }) =>
    formatChangeUpload(site, '[]', listOf('1', TOKEN_BYTES)),
  ),
  beginByToken(
    'S1',
    '9 MB of "a" as labels, deploy token',
    () => `{"files":[],"labels":${listOf('"a"', TOKEN_BYTES)}}`,
  ),
  repeatedInput('S1', '1 MiB of "a" as labels of a deployment, API key', ({ site, apiKey }) => ({
    method: 'PATCH',
    path: `/deployments/${site.split('.')[0]}`,
    key: apiKey,
    body: `{"labels":${listOf('"a"', JSON_BYTES)}}`,
  })),
  repeatedInput('S1', '0.9 MB of unknown keys, API key', ({ apiKey }) => ({
    path: '/tokens',
    key: apiKey,
    body: `{"kind":"deploy",${Array.from({ length: 80_000 }, (_, n) => `"k${n}":1`).join(',')}}`,
  })),
  repeatedInput('json', '1.3 MB of [, anonymous', () => beginUpload('['.repeat(ANONYMOUS_BYTES))),
  repeatedInput('json', '1.3 MB of escapes in one string, anonymous', () =>
    beginUpload(`{"via":"${String.raw`\u00e9`.repeat(ANONYMOUS_BYTES / 6)}"}`),
  ),
  repeatedInput('json', '1.3 MB of digits as one number, anonymous', () =>
    beginUpload(`{"ttl":${'9'.repeat(ANONYMOUS_BYTES)}}`),
  ),
];

/** Returns the JSON of an upload that changes a site. */
function formatChangeUpload(site: string, put: string, remove: string): string {
  return `{"base":"${site.split('.')[0]}","put":${put},"remove":${remove}}`;
}
