import { createHash } from 'node:crypto';
import {
  type BackupMember,
  decodeHead,
  END_MEMBER,
  HEAD_BYTES,
  listLine,
  paddingOf,
  sha256Of,
  TRAILER,
} from './backup-file.ts';

/** The bytes of a backup. */
export interface BackupSource {
  /** The name of the backup in messages, such as its path. */
  label: string;
  chunks: AsyncIterable<Buffer>;
}

/** A backup that was changed, or ends too early. The message names the file, the member and the position. */
class DamagedBackupError extends Error {
  override readonly name = 'DamagedBackupError';

  constructor(label: string, place: string, reason: string) {
    super(`${label} is damaged ${place}: ${reason}. Use another copy of the backup.`);
  }
}

/**
 * Reads a backup from its first to its last byte. Each member is verified before it is yielded. Any changed, missing or
 * additional byte is an error: heads and padding must be those that the writer writes.
 *
 * @throws DamagedBackupError at the first member that is damaged. Members before it were correct. Source: api §12.
 */
export async function* readBackup(source: BackupSource): AsyncGenerator<BackupMember> {
  const reader = new ExactReader(source);
  const list = createHash('sha256');
  let previous = 'the beginning';
  for (let members = 0; ; members += 1) {
    const offset = reader.position;
    const place = `after ${previous}, at byte ${offset}`;
    const head = decodeHead(await reader.read(HEAD_BYTES, place));
    if (!head) throw new DamagedBackupError(source.label, place, describeHead(offset));
    const { name, sizeBytes, sha256 } = head;
    const within = `in ${name}, between byte ${reader.position} and ${reader.position + sizeBytes + paddingOf(sizeBytes)}`;
    const padded = await reader.read(sizeBytes + paddingOf(sizeBytes), within);
    const bytes = padded.subarray(0, sizeBytes);
    if (sha256Of(bytes) !== sha256 || padded.subarray(sizeBytes).some((byte) => byte !== 0))
      throw new DamagedBackupError(source.label, within, 'the bytes do not match their SHA-256');
    if (name === END_MEMBER) {
      const expected = { members, bytes: offset, sha256: list.digest('hex') };
      if (bytes.toString() !== `${JSON.stringify(expected)}\n`)
        throw new DamagedBackupError(source.label, within, 'members were added, removed or exchanged');
      return readTrailer(reader, source.label);
    }
    yield { name, bytes, offset };
    list.update(listLine(head));
    previous = name;
  }
}

function describeHead(offset: number): string {
  return offset === 0 ? 'it does not begin like a backup of Berth' : 'the head of a member is not valid';
}

async function readTrailer(reader: ExactReader, label: string): Promise<void> {
  const place = `after ${END_MEMBER}, at byte ${reader.position}`;
  if (!(await reader.read(TRAILER.length, place)).equals(TRAILER))
    throw new DamagedBackupError(label, place, 'the end of the archive must be zeros');
  if (!(await reader.hasEnded()))
    throw new DamagedBackupError(label, `at byte ${reader.position}`, 'bytes follow the end of the archive');
}

/** Reads exact numbers of bytes from chunks. */
class ExactReader {
  readonly #label: string;
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);
  /** The number of bytes that were read. */
  position = 0;

  constructor({ label, chunks }: BackupSource) {
    this.#label = label;
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** @throws DamagedBackupError if fewer bytes are left. */
  async read(count: number, place: string): Promise<Buffer> {
    const bytes = Buffer.allocUnsafeSlow(count);
    for (let filled = 0; filled < count;) {
      if (this.#rest.length === 0 && !(await this.#next()))
        throw new DamagedBackupError(this.#label, place, `it ends at byte ${this.position + filled}`);
      const copied = this.#rest.copy(bytes, filled);
      this.#rest = this.#rest.subarray(copied);
      filled += copied;
    }
    this.position += count;
    return bytes;
  }

  async hasEnded(): Promise<boolean> {
    return this.#rest.length === 0 && !(await this.#next());
  }

  async #next(): Promise<boolean> {
    for (;;) {
      const { value, done } = await this.#chunks.next();
      if (done) return false;
      this.#rest = value;
      if (this.#rest.length > 0) return true;
    }
  }
}
