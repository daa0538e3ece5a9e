import { ENTRY_BYTES, ENTRY_LENGTH_AT, ENTRY_OFFSET_AT } from '../../storage/pack-index.ts';
import { sortByKey } from '../sort-by-key.ts';
import { HASH_BYTES, type NewPack } from './contents.ts';

const COPY_HEADER = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const COPY_END = Buffer.of(0xff, 0xff);
const PACK_BYTES = 16;
const NUMBER_BYTES = 8;
/** The sizes of the columns. In a row, each column follows its size. */
const COLUMN_BYTES = [HASH_BYTES, PACK_BYTES, NUMBER_BYTES, NUMBER_BYTES];
const HASH_AT = 6;
const PACK_AT = HASH_AT + HASH_BYTES + 4;
const OFFSET_AT = PACK_AT + PACK_BYTES + 4;
const LENGTH_AT = OFFSET_AT + NUMBER_BYTES + 4;
const ROW_BYTES = LENGTH_AT + NUMBER_BYTES;
/** The number of rows that are encoded at once. */
const CHUNK_ROWS = 2_000;

/** Returns the COPY statement that inserts {@link contentRows} into a table. */
export function copyContentsTo(table: 'content' | 'imported_content'): string {
  return `copy ${table} (hash, pack_id, "offset", length) from stdin (format binary)`;
}

/**
 * Encodes the rows of the contents of a pack for COPY, in chunks and in the order of their hashes: such rows are inserted faster, and
 * cannot make two deploys wait for each other.
 */
export function* contentRows({ id, contents, index }: Pick<NewPack, 'id' | 'contents' | 'index'>): Generator<Buffer> {
  const row = Buffer.alloc(ROW_BYTES);
  row.writeInt16BE(COLUMN_BYTES.length);
  let at = 2;
  for (const bytes of COLUMN_BYTES) at = row.writeInt32BE(bytes, at) + bytes;
  row.write(id.replaceAll('-', ''), PACK_AT, 'hex');
  yield COPY_HEADER;
  const order = sortByKey(keysOf(index, contents.length));
  for (let from = 0; from < order.length; from += CHUNK_ROWS) {
    const positions = order.subarray(from, from + CHUNK_ROWS);
    const rows = Buffer.alloc(positions.length * ROW_BYTES, row);
    for (let i = 0; i < positions.length; i += 1) {
      const [rowAt, entryAt] = [i * ROW_BYTES, positions[i]! * ENTRY_BYTES];
      copyBytes(index, entryAt, rows, rowAt + HASH_AT, HASH_BYTES);
      copyBytes(index, entryAt + ENTRY_OFFSET_AT, rows, rowAt + OFFSET_AT, NUMBER_BYTES);
      copyBytes(index, entryAt + ENTRY_LENGTH_AT, rows, rowAt + LENGTH_AT, NUMBER_BYTES);
    }
    yield rows;
  }
  yield COPY_END;
}

/** Copies a few bytes, for which a call of `Buffer.copy` takes longer. */
function copyBytes(from: Buffer, fromAt: number, to: Buffer, toAt: number, count: number): void {
  for (let i = 0; i < count; i += 1) to[toAt + i] = from[fromAt + i]!;
}

/** Returns the first 8 bytes of each hash in an index. */
function keysOf(index: Buffer, count: number): Uint32Array {
  const keys = new Uint32Array(count * 2);
  for (let i = 0; i < count; i += 1) {
    keys[i * 2] = index.readUInt32BE(i * ENTRY_BYTES);
    keys[i * 2 + 1] = index.readUInt32BE(i * ENTRY_BYTES + 4);
  }
  return keys;
}
