import { hash, randomBytes } from 'node:crypto';
import { CALL_PACE, type Input, repeatedInput } from '../input.ts';
import type { Client, World } from '../world.ts';

const CONTENTS = 1_000;
/**
 * The number of calls that send the same contents. The next calls send nothing, up to `EMPTY_UNTIL`, and later calls
 * commit.
 */
const REPEATS = 150;
const EMPTY_UNTIL = 210;

interface UploadFile {
  path: string;
  size: number;
  sha256: string;
}

/** Begins an upload. @returns The id of the upload. @throws when the upload is refused. */
async function beginUpload(client: Client, files: readonly UploadFile[], key?: string): Promise<string> {
  const { status, text } = await client.send({
    path: '/uploads',
    body: JSON.stringify({ files }),
    ...(key === undefined ? {} : { key }),
  });
  if (status !== 201) throw new Error(`Beginning an upload returned ${status}: ${text}`);
  return (JSON.parse(text) as { upload: string }).upload;
}

const fileOf = (content: Buffer, path: string): UploadFile => ({
  path,
  size: content.length,
  sha256: hash('sha256', content),
});

/** Joins contents into one body. A hash and a length precede each content. */
function contentsBody(contents: readonly Buffer[]): Buffer {
  return Buffer.concat(
    contents.flatMap((content) => {
      const length = Buffer.alloc(8);
      length.writeBigUInt64BE(BigInt(content.length));
      return [hash('sha256', content, 'buffer'), length, content];
    }),
  );
}

const putContents = (upload: string, body: Buffer, key?: string) => ({
  method: 'PUT',
  path: `/uploads/${upload}/contents`,
  headers: { 'Content-Type': 'application/vnd.berth.contents' },
  body,
  ...(key === undefined ? {} : { key }),
});

/** Sends contents again and again to an upload that is never complete, so that each request has to read more rows. */
async function repeatContents(_world: World, client: Client) {
  const contents = Array.from({ length: CONTENTS }, () => randomBytes(4));
  const upload = await beginUpload(
    client,
    contents.map((content, n) => fileOf(content, `${n}.bin`)),
  );
  const body = contentsBody(contents.slice(1));
  return (n: number) => {
    if (n < REPEATS) return client.send(putContents(upload, body));
    if (n < EMPTY_UNTIL) return client.send(putContents(upload, Buffer.alloc(0)));
    return client.send({ path: `/uploads/${upload}/commit`, body: '{}' });
  };
}

/** Commits a complete upload many times in parallel. */
async function commitTogether({ deployToken }: World, client: Client) {
  const content = randomBytes(64);
  const files = Array.from({ length: CONTENTS }, (_, n) => fileOf(content, `${n}.bin`));
  const upload = await beginUpload(client, files, deployToken);
  await client.send(putContents(upload, contentsBody([content]), deployToken));
  return () => client.send({ path: `/uploads/${upload}/commit`, body: '{}', key: deployToken });
}

/** Begins uploads of 1 MiB that are never committed. */
function openUploads({ deployToken }: World, client: Client) {
  return async () => {
    const content = randomBytes(1024 ** 2);
    const upload = await beginUpload(client, [fileOf(content, 'a.bin')], deployToken).catch(() => null);
    if (upload !== null) await client.send(putContents(upload, contentsBody([content]), deployToken));
  };
}

/** Returns the JSON of an upload whose files have the longest paths with this many segments. */
function deepFiles(count: number, segments: number): string {
  const file = (n: number) => ({ path: `${n}/${'a/'.repeat(segments - 2)}b`, size: 1, sha256: '0'.repeat(64) });
  return JSON.stringify({ files: Array.from({ length: count }, (_, n) => file(n)) });
}

/** Uploads that grow, stay open, or name paths that are expensive to compare. */
export const UPLOAD_INPUTS: readonly Input[] = [
  {
    id: 'S3',
    label: 'contents of one upload sent repeatedly, empty bodies, commits, anonymous',
    prepare: repeatContents,
  },
  { id: 'S3', label: 'one complete upload committed repeatedly, deploy token', prepare: commitTogether },
  {
    id: 'S5',
    label: 'uploads of 1 MiB left open, deploy token',
    pace: { ...CALL_PACE, burst: 300 },
    prepare: openUploads,
  },
  repeatedInput('S15', '1,000 paths of 500 segments, anonymous', () => ({
    path: '/uploads',
    body: deepFiles(1_000, 500),
  })),
  repeatedInput('S15', '8,000 paths of 500 segments, deploy token', ({ deployToken }) => ({
    path: '/uploads',
    key: deployToken,
    body: deepFiles(8_000, 500),
  })),
];
