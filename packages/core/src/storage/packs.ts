import type { Readable } from 'node:stream';

/** The location of the bytes of one content. `offset` and `length` are in bytes. */
export interface ContentLocation {
  pack: string;
  offset: number;
  length: number;
}

/** Reads contents of sealed packs. */
export interface PackReader {
  /** Streams one content. The stream emits an error if the pack is too short, or missing (with the code `ENOENT`). */
  stream(place: ContentLocation): Readable;
  /** Reads one small content into memory. @throws with the code `ENOENT` if the pack is missing. */
  read(place: ContentLocation): Promise<Buffer>;
}

/**
 * Stores packs: append-only files of contents, named by ids that are never reused. A sealed pack survives a power failure. An
 * unsealed pack may contain anything and can only be removed. No text of a client becomes a file name. Source: storage §1.
 */
export interface PackStore extends PackReader {
  /** The maximum size of a pack that a transaction may wait for, in bytes. Larger packs are sealed before the transaction. */
  readonly concurrentSealBytes: number;
  /** Creates a pack. If the id was used before, this throws, or at the latest {@link PackFile.seal}. */
  create(pack: string): Promise<PackFile>;
  /**
   * Returns a reader for a job that reads whole packs, one place after another. It reads what is stored, not what a cache
   * contains. It is efficient only for one caller that reads places of a pack in their order.
   */
  scan(): PackReader;
  /** Returns when a pack was last written; `null` if the pack does not exist. */
  modified(pack: string): Promise<Date | null>;
  /** Removes a pack, whether it is sealed or not. Removing a missing pack is no error. */
  remove(pack: string): Promise<void>;
  /** Checks that packs can be created and that there is room. @throws the error of the disk, such as `ENOSPC`. */
  checkWritable(): Promise<void>;
  /** Lists the ids of all packs, whether sealed or not, in no particular order. */
  list(): AsyncIterable<string>;
}

/** A pack that is being written. Its one owner ends it with `seal` or `abandon`. */
export interface PackFile {
  /** Writes bytes at a position. The caller must wait for each write before the next, and may reuse the bytes afterwards. */
  write(bytes: Uint8Array, position: number): Promise<void>;
  /** Fills `bytes` with the written bytes from a position. @throws if fewer bytes were written. */
  read(bytes: Uint8Array, position: number): Promise<void>;
  /** Truncates the pack to `size`, makes it durable and closes it. @throws if a step fails. The pack is then lost. */
  seal(size: number): Promise<void>;
  /** Closes and removes the pack. Does not throw if the pack is already gone. */
  abandon(): Promise<void>;
}
