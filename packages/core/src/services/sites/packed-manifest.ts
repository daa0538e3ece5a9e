import type { Coding, CompressedForms, Manifest, SiteFile, StoredBytes } from '@berth/serving';

/** A file of a manifest, with its path. */
export interface ManifestFile extends SiteFile {
  path: string;
}

const CODINGS: readonly Coding[] = ['br', 'zstd', 'gzip'];

// A record has one byte with a bit for each compressed form, then hash, pack, offset and length of the file and its forms.
const PACK_AT = 32;
const OFFSET_AT = PACK_AT + 4;
const NUMBER_BYTES = 6;
const LENGTH_AT = OFFSET_AT + NUMBER_BYTES;
const STORED_BYTES = LENGTH_AT + NUMBER_BYTES;

/** The measured memory of a path without its characters and its record, in bytes. */
const PATH_BYTES = 72;
/** The measured memory of a manifest without files, in bytes. */
const MANIFEST_BYTES = 850;

/**
 * A manifest that stores its files as bytes and creates an object only for a requested file. The bytes take a third of
 * the memory of objects, so that sites with tens of thousands of files stay in the cache.
 */
export class PackedManifest implements Manifest {
  /** The approximate size in memory, in bytes. */
  readonly sizeBytes: number;
  readonly #places = new Map<string, number>();
  readonly #packs: string[] = [];
  readonly #records: Buffer;

  /** @param files Files with different paths. Offsets and lengths must be below 2^48. */
  constructor(files: readonly ManifestFile[]) {
    this.#records = Buffer.alloc(files.reduce((sum, { compressed }) => sum + recordBytes(compressed), 0));
    const packNumbers = new Map<string, number>();
    let endOffset = 0;
    let pathBytes = 0;
    for (const file of files) {
      const { path, compressed = {} } = file;
      this.#places.set(path, endOffset);
      pathBytes += path.length + PATH_BYTES;
      const forms = CODINGS.map((coding) => compressed[coding]);
      this.#records[endOffset] = forms.reduce((bits, form, n) => (form ? bits | (1 << n) : bits), 0);
      endOffset += 1;
      for (const storedForm of [file, ...forms])
        if (storedForm) {
          const { pack } = storedForm;
          const packNumber = packNumbers.get(pack) ?? this.#packs.push(pack) - 1;
          packNumbers.set(pack, packNumber);
          this.#write(endOffset, storedForm, packNumber);
          endOffset += STORED_BYTES;
        }
    }
    this.sizeBytes = MANIFEST_BYTES + this.#records.length + pathBytes;
  }

  get size(): number {
    return this.#places.size;
  }

  get(path: string): SiteFile | undefined {
    const place = this.#places.get(path);
    return place === undefined ? undefined : this.#readFile(place);
  }

  *[Symbol.iterator](): Generator<[path: string, file: SiteFile]> {
    for (const [path, place] of this.#places) yield [path, this.#readFile(place)];
  }

  #readFile(place: number): SiteFile {
    const bits = this.#records[place]!;
    let at = place + 1;
    const file = this.#read(at);
    if (bits === 0) return file;
    const compressed: Partial<Record<Coding, StoredBytes>> = {};
    for (const [n, coding] of CODINGS.entries())
      if (bits & (1 << n)) {
        at += STORED_BYTES;
        compressed[coding] = this.#read(at);
      }
    return { ...file, compressed };
  }

  #write(at: number, { sha256, offset, length }: StoredBytes, pack: number): void {
    this.#records.write(sha256, at, 'hex');
    this.#records.writeUInt32LE(pack, at + PACK_AT);
    this.#records.writeUIntLE(offset, at + OFFSET_AT, NUMBER_BYTES);
    this.#records.writeUIntLE(length, at + LENGTH_AT, NUMBER_BYTES);
  }

  #read(at: number): StoredBytes {
    return {
      sha256: this.#records.toString('hex', at, at + PACK_AT),
      pack: this.#packs[this.#records.readUInt32LE(at + PACK_AT)]!,
      offset: this.#records.readUIntLE(at + OFFSET_AT, NUMBER_BYTES),
      length: this.#records.readUIntLE(at + LENGTH_AT, NUMBER_BYTES),
    };
  }
}

function recordBytes(compressed: CompressedForms = {}): number {
  return 1 + STORED_BYTES * (1 + Object.keys(compressed).length);
}
