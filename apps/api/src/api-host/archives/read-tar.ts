import { invalid, invalidFile, type LeftOutKind, type ServiceError, toPrintableName } from '@berth/core';
import { Header } from 'tar';
import type { EntrySink } from './entry-sink.ts';

const BLOCK_BYTES = 512;
const ZERO_BLOCK = Buffer.alloc(BLOCK_BYTES);
/** The maximum size of one extended header: long names and pax records. */
const MAX_EXTENSION_BYTES = 64 * 1024;

/**
 * Reads a tar archive (ustar, pax, GNU) and passes its entries on, no faster than they are consumed. Buffers only the headers
 * of one entry. Ignores all bytes after the end-of-archive marker.
 *
 * The framing is ours, because the parsers of libraries buffer extended headers of many MiB, accept archives without an end
 * and guess the compression; headers are decoded by node-tar.
 *
 * @throws `validation_failed` for an archive that is damaged, or ends before its end-of-archive marker; what `entries` and
 *   `chunks` throw. Source: api §11; security T41.
 */
export async function readTar(chunks: AsyncIterable<Buffer>, entries: EntrySink): Promise<void> {
  const reader = new TarReader(entries);
  for await (const chunk of chunks) await reader.read(chunk);
  reader.end();
}

type State = 'header' | 'extension' | 'file' | 'skipped';
type Sink = ReturnType<EntrySink['begin']>;

const MUST_BE_EMPTY: ReadonlySet<string> = new Set(['folder', 'hard link', 'symbolic link'] satisfies LeftOutKind[]);

/** The fields that extended headers set for the next entry. */
interface Extension {
  path?: string;
  size?: number;
}

class TarReader {
  readonly #entries: EntrySink;
  readonly #header = Buffer.alloc(BLOCK_BYTES);
  #state: State = 'header';
  /** The number of bytes until the state ends. */
  #left = BLOCK_BYTES;
  /** Receives the bytes of a header or of an extended header. */
  #buffer = this.#header;
  /** The size of padding after the current bytes. */
  #padding = 0;
  #sink: Sink | null = null;
  #extensionType = '';
  #extension: Extension = {};
  #hasZeroBlock = false;
  /** Whether the end-of-archive marker was read. */
  #hasEnded = false;

  constructor(entries: EntrySink) {
    this.#entries = entries;
  }

  async read(chunk: Buffer): Promise<void> {
    for (let at = 0; at < chunk.length && !this.#hasEnded;) {
      const bytes = chunk.subarray(at, at + this.#left);
      at += bytes.length;
      const drained = this.#take(bytes);
      this.#left -= bytes.length;
      if (drained) await drained;
      while (this.#left === 0 && !this.#hasEnded) {
        const ready = this.#state === 'header' ? this.#entries.beforeEntry() : undefined;
        if (ready) await ready;
        this.#advance();
      }
    }
  }

  /** @throws `validation_failed` unless the end-of-archive marker was read. */
  end(): void {
    if (!this.#hasEnded) throw damaged('it is incomplete: its end-of-archive marker, two blocks of zeros, is missing');
  }

  #take(bytes: Buffer): Promise<void> | undefined {
    if (this.#state === 'file') return this.#sink!.write(bytes);
    if (this.#state !== 'skipped') bytes.copy(this.#buffer, this.#buffer.length - this.#left);
    return undefined;
  }

  /** Acts on the bytes of a state that has ended, and begins the next state. */
  #advance(): void {
    if (this.#state === 'header') return this.#onHeader();
    if (this.#state === 'extension') this.#onExtension();
    if (this.#state === 'file') this.#sink!.end();
    if (this.#padding > 0) {
      this.#begin('skipped', this.#padding);
      this.#padding = 0;
    } else {
      this.#buffer = this.#header;
      this.#begin('header', BLOCK_BYTES);
    }
  }

  #begin(state: State, bytes: number): void {
    this.#state = state;
    this.#left = bytes;
  }

  #beginPadded(state: State, bytes: number): void {
    this.#padding = -bytes & (BLOCK_BYTES - 1);
    this.#begin(state, bytes);
  }

  #onHeader(): void {
    if (this.#header.equals(ZERO_BLOCK)) {
      this.#hasEnded = this.#hasZeroBlock;
      this.#hasZeroBlock = true;
      this.#begin('header', BLOCK_BYTES);
      return;
    }
    if (this.#hasZeroBlock) throw damaged('a single block of zeros is between two entries');
    const header = decodeHeader(this.#header);
    switch (header.typeKey) {
      case 'x':
      case 'X':
      case 'g':
      case 'L':
      case 'N':
      case 'K':
        return this.#beginExtension(header);
      case 'V':
        return this.#beginPadded('skipped', sizeOf(header));
      default:
        return this.#onEntry(header);
    }
  }

  #beginExtension(header: Header): void {
    const size = sizeOf(header);
    if (size > MAX_EXTENSION_BYTES)
      throw damaged(`an extended header has more than ${MAX_EXTENSION_BYTES} bytes; leave extended attributes out`);
    this.#extensionType = header.typeKey;
    this.#buffer = Buffer.alloc(size);
    this.#beginPadded('extension', size);
  }

  #onExtension(): void {
    if (this.#extensionType === 'x' || this.#extensionType === 'X')
      for (const [key, value] of paxRecords(this.#buffer)) this.#onPaxRecord(key, value);
    else if (this.#extensionType === 'L' || this.#extensionType === 'N')
      this.#extension.path = this.#buffer.toString().split('\0', 1)[0]!;
  }

  #onPaxRecord(key: string, value: string): void {
    if (key === 'path') this.#extension.path = value;
    else if (key === 'size') this.#extension.size = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
    else if (key.startsWith('GNU.sparse.')) throw sparse(this.#extension.path ?? 'archive');
  }

  #onEntry(header: Header): void {
    const { path: name = header.path ?? '', size = sizeOf(header) } = this.#extension;
    this.#extension = {};
    if (Number.isNaN(size)) throw damaged('the size of an entry is not a number');
    const kind = kindOf(header, name);
    // Some programs write the size of a folder on their disk, but no bytes.
    const bytes = header.typeKey === '5' ? 0 : size;
    if (kind === 'file') this.#sink = this.#entries.begin(name);
    else this.#entries.leaveOut(name, kind);
    if (bytes > 0 && MUST_BE_EMPTY.has(kind) && header.typeKey !== 'D')
      throw invalidFile(toPrintableName(name), `a ${kind} in an archive must have the size 0`);
    this.#beginPadded(kind === 'file' ? 'file' : 'skipped', bytes);
  }
}

function decodeHeader(block: Buffer): Header {
  try {
    const header = new Header(block);
    if (header.cksumValid) return header;
  } catch {
    // The header contains a number that is too large.
  }
  throw damaged(
    'a header is invalid or has the wrong checksum. Send a tar archive, or set the Content-Type to the type of the file: application/gzip, application/zstd or application/zip',
  );
}

function sizeOf({ size }: Header): number {
  if (size === undefined || !Number.isSafeInteger(size)) throw damaged('the size of an entry is not a number');
  return size;
}

function kindOf({ typeKey }: Header, name: string): 'file' | LeftOutKind {
  switch (typeKey as string) {
    case '':
    case '0':
    case '7':
      return name.endsWith('/') ? 'folder' : 'file';
    case '1':
      return 'hard link';
    case '2':
      return 'symbolic link';
    case '5':
    case 'D':
      return 'folder';
    case 'S':
      throw sparse(name);
    case 'M':
      throw invalidFile(
        toPrintableName(name),
        'the file is continued from another volume; create the archive in one part',
      );
    default:
      return 'special file';
  }
}

/** Yields the records of a pax header. Each record is its length, a space, a key, `=`, a value and a line end. */
function* paxRecords(bytes: Buffer): Generator<[key: string, value: string]> {
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(' ', at);
    const digits = bytes.toString('latin1', at, space);
    const end = at + (/^\d{1,6}$/.test(digits) ? Number(digits) : 0);
    const equals = bytes.indexOf('=', space);
    if (space < 0 || equals < 0 || equals >= end || end > bytes.length || bytes[end - 1] !== 0x0a)
      throw damaged('a record of an extended header cannot be read');
    yield [bytes.toString('utf8', space + 1, equals), bytes.toString('utf8', equals + 1, end - 1)];
    at = end;
  }
}

function sparse(name: string): ServiceError {
  return invalidFile(toPrintableName(name), 'the file is stored as a sparse file; create the archive without --sparse');
}

function damaged(why: string): ServiceError {
  return invalid('archive', `the tar archive cannot be read: ${why}`);
}
