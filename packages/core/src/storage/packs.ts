import type { Readable } from 'node:stream';

/** Where the bytes of one content lie. `offset` and `length` in bytes. */
export interface Place {
  pack: string;
  offset: number;
  length: number;
}

/**
 * Where packs are kept: append-only files of contents, named by ids that are never used twice.
 *
 * Every implementation passes the same suite. A pack that was sealed survives the loss of power; one that was not may
 * hold anything and is only ever removed. Names are ids we made: nothing a user sent becomes a file name.
 *
 * Source: security §5.
 */
export interface PackStore {
  /** Starts a new pack. @throws if the id was used before. */
  create(pack: string): Promise<PackFile>;
  /** Streams one content. Errors, with code `ENOENT` for a missing pack, arrive on the stream. A short pack is an error. */
  stream(place: Place): Readable;
  /** Reads one content whole; for small ones. @throws with code `ENOENT` when the pack is missing. */
  read(place: Place): Promise<Buffer>;
  /** When a pack was last written; `null` when it is not there. */
  modified(pack: string): Promise<Date | null>;
  /** Removes a pack, sealed or not. Removing what is not there is no error. */
  remove(pack: string): Promise<void>;
  /** The ids of all packs there are, sealed or not, in no order. */
  list(): AsyncIterable<string>;
}

/** A pack being written by its one owner, who ends it with `seal` or `abandon`. */
export interface PackFile {
  /** Writes bytes at a position; writes of one pack never overlap in time. Resolves when the bytes may be reused. */
  write(bytes: Uint8Array, position: number): Promise<void>;
  /** Fills `bytes` with what was written at a position. @throws when that much was not written. */
  read(bytes: Uint8Array, position: number): Promise<void>;
  /**
   * Cuts the pack to `size`, makes bytes and name durable, and closes it.
   *
   * @throws when any part of that failed: the pack is then given up, and sealing is never tried again.
   */
  seal(size: number): Promise<void>;
  /** Closes and removes the pack. Never throws for a pack that is already gone. */
  abandon(): Promise<void>;
}
