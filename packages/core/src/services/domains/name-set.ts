import { hash, randomBytes } from 'node:crypto';
import { endianness } from 'node:os';

/** Hashes are stored in the byte order of the machine, which the last character names. */
const MAGIC = Buffer.from(`BERTH-1${endianness()[0]}`);
const SALT_BYTES = 16;
const HASH_BYTES = 8;
const CHECKSUM_BYTES = 32;
const HEAD_BYTES = MAGIC.length + SALT_BYTES;
const MIN_CAPACITY = 1_024;

/**
 * A set of names that takes 8 bytes for each: a sorted list of 64-bit hashes. The hashes have a random salt, so that no client
 * can choose a name that collides with one in the set.
 */
export class NameSet {
  readonly #salt: Buffer;
  #hashes: BigUint64Array;
  #size: number;

  private constructor(salt: Buffer, hashes: BigUint64Array) {
    this.#salt = salt;
    this.#hashes = hashes;
    this.#size = hashes.length;
  }

  /** Reads names page by page. Memory use does not depend on the length of the names. */
  static async from(pages: AsyncIterable<readonly string[]>): Promise<NameSet> {
    const set = new NameSet(randomBytes(SALT_BYTES), new BigUint64Array(0));
    for await (const names of pages) {
      set.#reserve(names.length);
      for (const name of names) set.#hashes[set.#size++] = set.#hashOf(name);
    }
    set.#hashes.subarray(0, set.#size).sort();
    return set;
  }

  /** Reads what {@link toBytes} returned. @returns `null` if the bytes are damaged or of another format. */
  static parse(bytes: Buffer): NameSet | null {
    const end = bytes.length - CHECKSUM_BYTES;
    const isWhole = end >= HEAD_BYTES && (end - HEAD_BYTES) % HASH_BYTES === 0 && bytes.indexOf(MAGIC) === 0;
    if (!isWhole || !checksumOf(bytes.subarray(0, end)).equals(bytes.subarray(end))) return null;
    const hashes = new BigUint64Array((end - HEAD_BYTES) / HASH_BYTES);
    bytes.copy(Buffer.from(hashes.buffer), 0, HEAD_BYTES, end);
    return new NameSet(Buffer.from(bytes.subarray(MAGIC.length, HEAD_BYTES)), hashes);
  }

  get size(): number {
    return this.#size;
  }

  has(name: string): boolean {
    const hashed = this.#hashOf(name);
    const index = this.#find(hashed);
    return index < this.#size && this.#hashes[index] === hashed;
  }

  /** Adds or removes a name. @returns Whether this changes the set. */
  put(name: string, isMember: boolean): boolean {
    const hashed = this.#hashOf(name);
    const index = this.#find(hashed);
    const wasMember = index < this.#size && this.#hashes[index] === hashed;
    if (wasMember === isMember) return false;
    if (isMember) {
      this.#reserve(1);
      this.#hashes.copyWithin(index + 1, index, this.#size);
      this.#hashes[index] = hashed;
      this.#size += 1;
    } else {
      this.#hashes.copyWithin(index, index + 1, this.#size);
      this.#size -= 1;
    }
    return true;
  }

  /** Returns the set with a checksum, for a file. */
  toBytes(): Buffer {
    const bytes = Buffer.alloc(HEAD_BYTES + this.#size * HASH_BYTES + CHECKSUM_BYTES);
    MAGIC.copy(bytes);
    this.#salt.copy(bytes, MAGIC.length);
    Buffer.from(this.#hashes.buffer, 0, this.#size * HASH_BYTES).copy(bytes, HEAD_BYTES);
    const end = bytes.length - CHECKSUM_BYTES;
    checksumOf(bytes.subarray(0, end)).copy(bytes, end);
    return bytes;
  }

  /** Returns the index of the first hash that is not smaller. */
  #find(hashed: bigint): number {
    let [low, high] = [0, this.#size];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#hashes[middle]! < hashed) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #reserve(added: number): void {
    const needed = this.#size + added;
    if (needed <= this.#hashes.length) return;
    const grown = new BigUint64Array(Math.max(MIN_CAPACITY, needed, Math.ceil(this.#hashes.length * 1.5)));
    grown.set(this.#hashes.subarray(0, this.#size));
    this.#hashes = grown;
  }

  #hashOf(name: string): bigint {
    return hash('sha256', Buffer.concat([this.#salt, Buffer.from(name)]), 'buffer').readBigUInt64LE(0);
  }
}

function checksumOf(bytes: Buffer): Buffer {
  return hash('sha256', bytes, 'buffer');
}
