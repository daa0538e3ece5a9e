/** One entry of a tar archive. Fields that are absent are derived, so that a test can set any of them to a wrong value. */
export interface TarEntry {
  name: string;
  body?: string | Buffer;
  /** The type flag. Default: `0`, a regular file. */
  type?: string;
  /** The size field as bytes, or as a number. Default: the size of the body. */
  size?: number | Buffer;
  prefix?: string;
  linkname?: string;
  /** The magic and version. Default: those of ustar. */
  magic?: string;
  /** Added to the checksum, to make it wrong. */
  checksumError?: number;
}

const BLOCK_BYTES = 512;

/** The end-of-archive marker. */
export const TAR_END = Buffer.alloc(2 * BLOCK_BYTES);

/** Returns a tar archive of entries, with its end-of-archive marker. */
export function tar(entries: readonly TarEntry[], end: Buffer = TAR_END): Buffer {
  return Buffer.concat([...entries.map(tarEntry), end]);
}

/** Returns a tar archive of regular files. */
export function tarOf(files: Record<string, string | Buffer>): Buffer {
  return tar(Object.entries(files).map(([name, body]) => ({ name, body })));
}

export function tarEntry({ name, body = '', type = '0', prefix = '', linkname = '', ...rest }: TarEntry): Buffer {
  const bytes = Buffer.from(body);
  const { size = bytes.length, magic = 'ustar\u000000', checksumError = 0 } = rest;
  const header = Buffer.alloc(BLOCK_BYTES);
  header.write(name, 0, 100);
  header.write('0000644\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  if (typeof size === 'number') header.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  else size.copy(header, 124);
  header.write('00000000000\0', 136);
  header.write(' '.repeat(8), 148);
  header.write(type, 156, 1, 'latin1');
  header.write(linkname, 157, 100);
  header.write(magic, 257, 8, 'latin1');
  header.write(prefix, 345, 155);
  const checksum = header.reduce((sum, byte) => sum + byte, 0) + checksumError;
  header.write(`${checksum.toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([header, bytes, Buffer.alloc(-bytes.length & (BLOCK_BYTES - 1))]);
}

/** Returns a pax extended header with records for the next entry. */
export function pax(records: Record<string, string>, type = 'x'): TarEntry {
  const body = Object.entries(records).map(([key, value]) => paxRecord(key, value));
  return { name: 'PaxHeader/x', type, body: body.join('') };
}

function paxRecord(key: string, value: string): string {
  const bytes = Buffer.byteLength(` ${key}=${value}\n`);
  let length = bytes;
  while (length !== bytes + String(length).length) length = bytes + String(length).length;
  return `${length} ${key}=${value}\n`;
}

/** Returns a size as a base-256 number. */
export function base256(size: bigint): Buffer {
  const field = Buffer.alloc(12);
  field.writeBigUInt64BE(size, 4);
  field[0] = 0x80;
  return field;
}
