import { hash, randomFillSync } from 'node:crypto';

/** A multipart body that can be sent many times. */
export interface Body {
  contentType: string;
  bytes: Buffer;
}

const BOUNDARY = 'berth-bench-7d1f0c';

/** Creates the contents of `count` files with `size` random bytes each, so that no two contents are equal. */
export function randomContents(count: number, size: number): Buffer[] {
  return Array.from({ length: count }, () => randomFillSync(Buffer.allocUnsafe(size)));
}

/** Creates a deploy of files with these contents. */
export function deployBody(contents: readonly Buffer[]): Body {
  const checksums: string[] = [];
  const pieces: Buffer[] = [];
  for (const [i, content] of contents.entries()) {
    checksums.push(hash('md5', content, 'hex'));
    pieces.push(head(`assets/${i % 100}/file-${i}.bin`), content, Buffer.from('\r\n'));
  }
  pieces.push(field('checksums', JSON.stringify(checksums)), Buffer.from(`--${BOUNDARY}--\r\n`));
  return { contentType: `multipart/form-data; boundary=${BOUNDARY}`, bytes: Buffer.concat(pieces) };
}

/** Creates a body with one file of `size` bytes, whose pieces are generated while they are sent. */
export function bigBody(
  size: number,
  block: Buffer,
  md5: string,
): { contentType: string; length: number; pieces: () => Iterable<Buffer> } {
  const start = Buffer.concat([field('checksums', JSON.stringify([md5])), head('big.bin')]);
  const closingBoundary = Buffer.from(`\r\n--${BOUNDARY}--\r\n`);
  return {
    contentType: `multipart/form-data; boundary=${BOUNDARY}`,
    length: start.length + size + closingBoundary.length,
    *pieces() {
      yield start;
      for (let sentBytes = 0; sentBytes < size; sentBytes += block.length) yield block;
      yield closingBoundary;
    },
  };
}

function head(path: string): Buffer {
  return Buffer.from(
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="files[]"; filename="${path}"\r\nContent-Type: application/octet-stream\r\n\r\n`,
  );
}

function field(name: string, value: string): Buffer {
  return Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`);
}
