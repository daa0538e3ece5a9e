import type { Readable } from 'node:stream';

/** The location of the bytes of one content. `offset` and `length` in bytes. */
export interface ContentLocation {
  pack: string;
  offset: number;
  length: number;
}

/**
 * Stores packs: append-only files of contents, named by ids that are never reused.
 *
 * Every implementation passes the same suite. A sealed pack survives a power failure. An unsealed one may contain
 * anything, and the only thing done with it is to remove it. Names are ids that the server made; nothing that a user sent becomes a file name.
 *
 * Source: storage §1.
 */
export interface PackStore {
  /** Starts a new pack. @throws if the id was used before. */
  create(pack: string): Promise<PackFile>;
  /** Streams one content. Errors are emitted on the stream, with code `ENOENT` for a missing pack. A pack that is too short is an error. */
  stream(place: ContentLocation): Readable;
  /** Reads one content into memory; meant for small ones. @throws with code `ENOENT` if the pack is missing. */
  read(place: ContentLocation): Promise<Buffer>;
  /** When a pack was last written; `null` if it does not exist. */
  modified(pack: string): Promise<Date | null>;
  /** Removes a pack, sealed or not. Removing a missing pack is no error. */
  remove(pack: string): Promise<void>;
  /** The ids of all packs, sealed or not, in no particular order. */
  list(): AsyncIterable<string>;
}

/** A pack that is being written. Its one owner ends it with `seal` or `abandon`. */
export interface PackFile {
  /** Writes bytes at a position. Wait for one write before starting the next. Resolves when the bytes may be reused. */
  write(bytes: Uint8Array, position: number): Promise<void>;
  /** Fills `bytes` with the bytes written at a position. @throws if fewer bytes were written. */
  read(bytes: Uint8Array, position: number): Promise<void>;
  /**
   * Truncates the pack to `size`, makes its bytes and its name durable, and closes it.
   *
   * @throws if any step fails. The pack is then lost; do not retry.
   */
  seal(size: number): Promise<void>;
  /** Closes and removes the pack. Does not throw if the pack is already gone. */
  abandon(): Promise<void>;
}
