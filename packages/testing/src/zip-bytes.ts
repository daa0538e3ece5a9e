import { crc32, deflateRawSync } from 'node:zlib';

/** One entry of a zip archive. Fields that are absent are derived, so that a test can set any of them to a wrong value. */
export interface ZipEntry {
  name: string;
  body?: string | Buffer;
  /** The stored bytes. Default: the deflated body, or the body if the method is 0. */
  data?: Buffer;
  method?: number;
  flags?: number;
  crc?: number;
  size?: number;
  compressedSize?: number;
  /** The upper half of the attributes: a file mode of Unix. Default: a regular file. */
  mode?: number;
  versionMadeBy?: number;
  extra?: Buffer;
  /** Fields of the header before the bytes that differ from the central directory. */
  local?: Partial<Pick<ZipEntry, 'name' | 'method' | 'flags' | 'crc' | 'size' | 'compressedSize' | 'extra'>>;
  /** Bytes between the data and the next entry, such as a data descriptor. */
  descriptor?: Buffer;
  /** The offset of the header before the bytes. Default: where it is. */
  offset?: number;
}

export interface ZipShape {
  /** The number of entries that the end record contains. */
  count?: number;
  /** The size of the central directory that the end record contains. */
  directorySize?: number;
  comment?: string;
  /** Whether the end is written as ZIP64. */
  zip64?: boolean;
}

const UNIX = 3 << 8;

/** Returns a zip archive of entries. */
export function zip(entries: readonly ZipEntry[], shape: ZipShape = {}): Buffer {
  const pieces: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const { local, central } = zipEntry(entry, offset);
    pieces.push(local);
    directory.push(central);
    offset += local.length;
  }
  return Buffer.concat([
    ...pieces,
    ...directory,
    endOf(entries.length, Buffer.concat(directory).length, offset, shape),
  ]);
}

/** Returns a zip archive of regular files. */
export function zipOf(files: Record<string, string | Buffer>): Buffer {
  return zip(Object.entries(files).map(([name, body]) => ({ name, body })));
}

/** Returns a data descriptor. */
export function descriptor(body: string, compressedSize: number, { crc = crc32(body), signature = true } = {}): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt32LE(0x08074b50, 0);
  bytes.writeUInt32LE(crc, 4);
  bytes.writeUInt32LE(compressedSize, 8);
  bytes.writeUInt32LE(Buffer.byteLength(body), 12);
  return signature ? bytes : bytes.subarray(4);
}

function zipEntry(entry: ZipEntry, position: number): { local: Buffer; central: Buffer } {
  const { name, body = '', method = 8, flags = 0x0800, mode = 0o100644, versionMadeBy = UNIX } = entry;
  const data = entry.data ?? (method === 0 ? Buffer.from(body) : deflateRawSync(body));
  const fields = {
    name,
    method,
    flags,
    crc: entry.crc ?? crc32(body),
    size: entry.size ?? Buffer.byteLength(body),
    compressedSize: entry.compressedSize ?? data.length,
    extra: entry.extra ?? Buffer.alloc(0),
  };
  const centralName = Buffer.from(name, 'utf8');
  const central = Buffer.alloc(46);
  central.writeUInt32LE(0x02014b50, 0);
  central.writeUInt16LE(versionMadeBy | 20, 4);
  commonFields(fields, central, 6);
  central.writeUInt32LE((mode << 16) >>> 0, 38);
  central.writeUInt32LE(entry.offset ?? position, 42);
  const localFields = { ...fields, ...entry.local };
  const local = Buffer.alloc(30);
  local.writeUInt32LE(0x04034b50, 0);
  commonFields(localFields, local, 4);
  return {
    local: Buffer.concat([
      local,
      Buffer.from(localFields.name),
      localFields.extra,
      data,
      entry.descriptor ?? Buffer.alloc(0),
    ]),
    central: Buffer.concat([central, centralName, fields.extra]),
  };
}

type CommonFields = Required<Pick<ZipEntry, 'name' | 'method' | 'flags' | 'crc' | 'size' | 'compressedSize' | 'extra'>>;

function commonFields(fields: CommonFields, into: Buffer, at: number): void {
  into.writeUInt16LE(20, at);
  into.writeUInt16LE(fields.flags, at + 2);
  into.writeUInt16LE(fields.method, at + 4);
  into.writeUInt16LE(0x0021, at + 8);
  into.writeUInt32LE(fields.crc, at + 10);
  into.writeUInt32LE(fields.compressedSize, at + 14);
  into.writeUInt32LE(fields.size, at + 18);
  into.writeUInt16LE(Buffer.byteLength(fields.name), at + 22);
  into.writeUInt16LE(fields.extra.length, at + 24);
}

function endOf(entries: number, size: number, offset: number, shape: ZipShape): Buffer {
  const { count = entries, directorySize = size, comment = '', zip64 = false } = shape;
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(zip64 ? 0xffff : count, 8);
  end.writeUInt16LE(zip64 ? 0xffff : count, 10);
  end.writeUInt32LE(zip64 ? 0xffffffff : directorySize, 12);
  end.writeUInt32LE(zip64 ? 0xffffffff : offset, 16);
  end.writeUInt16LE(Buffer.byteLength(comment), 20);
  const tail = Buffer.concat([end, Buffer.from(comment)]);
  return zip64 ? Buffer.concat([zip64End(count, directorySize, offset), tail]) : tail;
}

function zip64End(count: number, size: number, offset: number): Buffer {
  const record = Buffer.alloc(56 + 20);
  record.writeUInt32LE(0x06064b50, 0);
  record.writeBigUInt64LE(44n, 4);
  record.writeUInt16LE(45, 12);
  record.writeUInt16LE(45, 14);
  record.writeBigUInt64LE(BigInt(count), 24);
  record.writeBigUInt64LE(BigInt(count), 32);
  record.writeBigUInt64LE(BigInt(size), 40);
  record.writeBigUInt64LE(BigInt(offset), 48);
  record.writeUInt32LE(0x07064b50, 56);
  record.writeBigUInt64LE(BigInt(offset + size), 64);
  record.writeUInt32LE(1, 72);
  return record;
}
