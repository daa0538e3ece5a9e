import { hash } from 'node:crypto';
import { type Input, listOf, repeatedInput } from '../input.ts';
import type { HostileRequest, World } from '../world.ts';

const BOUNDARY = 'hostile-5c1e07';
const MiB = 1024 ** 2;

const file = (path: string, content = '') =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="files[]"; filename="${path}"\r\n\r\n${content}\r\n`;
const field = (name: string, value: string) =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const repeatText = (count: number, createText: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => createText(n)).join('');

/** Creates an input that deploys a body with a deploy token. */
function deploy(id: string, label: string, body: string): Input {
  const bytes = Buffer.from(`${body}--${BOUNDARY}--\r\n`);
  const makeRequest = ({ deployToken }: World): HostileRequest => ({
    path: '/deployments',
    key: deployToken,
    headers: { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` },
    body: bytes,
  });
  return repeatedInput(id, label, makeRequest);
}

const md5s = (contents: readonly string[]) =>
  field('checksums', JSON.stringify(contents.map((text) => hash('md5', text))));
const REWRITES = repeatText(500, (n) => `/:a/:b/:c/:d/:e/:f/:g/${n}/* /page/${n} 200\n`);
const FAULTS = 'fault\n'.repeat(MiB / 6);
const HEADERS = repeatText(500, (n) => `/section-${n}/*\n  X-A: 1\n`);

/** Deploys in one request with parts that are many, long or invalid. */
export const MULTIPART_INPUTS: readonly Input[] = [
  deploy('S1', '4 MB of 1 as checksums, deploy token', file('index.html') + field('checksums', listOf('1', 4 * MiB))),
  deploy(
    'S1',
    '4 MB of "a" as checksums, deploy token',
    file('index.html') + field('checksums', listOf('"a"', 4 * MiB)),
  ),
  deploy(
    'S1',
    '60 KB of "a" as labels of a form, deploy token',
    file('index.html') + field('labels', listOf('"a"', 60_000)),
  ),
  deploy(
    'multipart',
    '20,000 form fields, deploy token',
    repeatText(20_000, () => field('labels', '[]')),
  ),
  deploy(
    'multipart',
    '20,000 empty files with one name, deploy token',
    repeatText(20_000, () => file('a.txt')),
  ),
  deploy(
    'multipart',
    '20,000 empty files without checksums, deploy token',
    repeatText(20_000, (n) => file(`${n}.txt`)),
  ),
  deploy(
    'multipart',
    'a part with 1 MiB of headers, deploy token',
    `--${BOUNDARY}\r\nX-Long: ${'a'.repeat(MiB)}\r\n\r\n`,
  ),
  deploy(
    'multipart',
    '20,000 headers of one part, deploy token',
    `--${BOUNDARY}\r\n${repeatText(20_000, (n) => `X-${n}: a\r\n`)}\r\n`,
  ),
  deploy('multipart', 'a file name of 1 MiB, deploy token', file(`${'a/'.repeat(MiB / 2)}b`)),
  deploy(
    'multipart',
    '8 MiB that almost match the boundary, deploy token',
    file('index.html', `\r\n--${BOUNDARY.slice(0, -1)}`.repeat((8 * MiB) / (BOUNDARY.length + 3))),
  ),
  deploy(
    'rules',
    'a deploy with 1 MiB of faults in its rule files, deploy token',
    file('_redirects', FAULTS) + file('page', '') + md5s([FAULTS, '']),
  ),
  deploy(
    'rules',
    'a deploy with rule files at their limits, deploy token',
    file('_redirects', REWRITES) + file('_headers', HEADERS) + file('page', '') + md5s([REWRITES, HEADERS, '']),
  ),
];
