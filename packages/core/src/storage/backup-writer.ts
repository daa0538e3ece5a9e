import { createHash } from 'node:crypto';
import { encodeHead, END_MEMBER, listLine, MAX_MEMBER_BYTES, paddingOf, sha256Of, TRAILER } from './backup-file.ts';

/** Receives the bytes of a backup in order. The writer waits for each call before the next. */
export type ByteSink = (bytes: Buffer) => Promise<void>;

/** Small members are written together. */
const WRITE_BYTES = 1024 * 1024;

/** Writes a backup: a tar archive whose members carry their SHA-256, and whose last member proves that it is complete. */
export class BackupWriter {
  readonly #sink: ByteSink;
  readonly #mtime: Date;
  readonly #list = createHash('sha256');
  #members = 0;
  #bytes = 0;
  #pending: Buffer[] = [];
  #pendingBytes = 0;

  /** @param created The time of the backup, and the modification time of all members. */
  constructor(sink: ByteSink, created: Date) {
    this.#sink = sink;
    this.#mtime = new Date(Math.floor(created.getTime() / 1000) * 1000);
  }

  /** The size of the backup until now, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Writes a member of at most {@link MAX_MEMBER_BYTES}. The bytes can be reused afterwards. */
  async add(name: string, bytes: Buffer): Promise<void> {
    const sha256 = sha256Of(bytes);
    await this.#writeMember(name, sha256, bytes);
    this.#list.update(listLine({ name, sha256 }));
    this.#members += 1;
  }

  /** Writes the last member and the end of the archive. */
  async end(): Promise<void> {
    const end = { members: this.#members, bytes: this.#bytes, sha256: this.#list.digest('hex') };
    const bytes = Buffer.from(`${JSON.stringify(end)}\n`);
    await this.#writeMember(END_MEMBER, sha256Of(bytes), bytes);
    await this.#write(TRAILER);
    await this.#flush();
  }

  async #writeMember(name: string, sha256: string, bytes: Buffer): Promise<void> {
    if (bytes.length > MAX_MEMBER_BYTES)
      throw new Error(`${name} has ${bytes.length} bytes, more than a member can have`);
    const head = encodeHead({ name, sizeBytes: bytes.length, sha256, mtime: this.#mtime });
    await this.#write(Buffer.concat([head, bytes, TRAILER.subarray(0, paddingOf(bytes.length))]));
  }

  async #write(bytes: Buffer): Promise<void> {
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    this.#bytes += bytes.length;
    if (this.#pendingBytes >= WRITE_BYTES) await this.#flush();
  }

  async #flush(): Promise<void> {
    await this.#sink(Buffer.concat(this.#pending));
    this.#pending = [];
    this.#pendingBytes = 0;
  }
}

/** Divides a stream into parts of {@link MAX_MEMBER_BYTES}; the last one is smaller. An empty stream has no part. */
export async function* inParts(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  for await (const chunk of chunks)
    for (let at = 0; at < chunk.length;) {
      const piece = chunk.subarray(at, at + MAX_MEMBER_BYTES - pendingBytes);
      pending.push(piece);
      pendingBytes += piece.length;
      at += piece.length;
      if (pendingBytes < MAX_MEMBER_BYTES) continue;
      yield Buffer.concat(pending);
      pending = [];
      pendingBytes = 0;
    }
  if (pendingBytes > 0) yield Buffer.concat(pending);
}
