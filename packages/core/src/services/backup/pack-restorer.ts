import pLimit from 'p-limit';
import type { Client } from 'pg';
import { failpoint } from '../../failpoints.ts';
import type { BackupMember } from '../../storage/backup-file.ts';
import type { PackFile, PackStore } from '../../storage/packs.ts';

const PACK_MEMBER = /^packs\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/(\d{8})$/;
/** The number of packs that are made durable at the same time. */
const SEALS_AT_ONCE = 8;

interface OpenPack {
  id: string;
  /** The size of the complete pack in bytes. */
  sizeBytes: number;
  parts: number;
  writtenBytes: number;
  /** `null` for a pack that no row refers to, which is skipped. */
  file: PackFile | null;
}

/** Writes packs to a store while their parts arrive. {@link removeAll} undoes everything. */
export class PackRestorer {
  readonly #store: PackStore;
  readonly #limit = pLimit(SEALS_AT_ONCE);
  readonly #seals = new Set<Promise<void>>();
  readonly #created: string[] = [];
  readonly #stored: string[] = [];
  #open: OpenPack | null = null;
  /** Whether {@link keep} was called. */
  areKept = false;
  /** The number of packs that were written. */
  count = 0;
  /** The size of the packs that were written, in bytes. */
  doneBytes = 0;

  constructor(store: PackStore) {
    this.#store = store;
  }

  /** Adds the next part of a pack. @param session The transaction with the rows of the packs. */
  async add(session: Client, { name, bytes }: BackupMember): Promise<void> {
    const [, id, part] = PACK_MEMBER.exec(name) ?? [];
    if (id === undefined) throw new Error(`The member ${name} is not part of a pack.`);
    if (this.#open?.id !== id) await this.#begin(session, id);
    const pack = this.#open!;
    pack.parts += 1;
    if (Number(part) !== pack.parts) throw new Error(`The member ${name} is out of order.`);
    await pack.file?.write(bytes, pack.writtenBytes);
    pack.writtenBytes += bytes.length;
    if (pack.file) this.doneBytes += bytes.length;
  }

  /** Waits until all packs are durable, and records them in the table `stored_pack`. */
  async finish(session: Client): Promise<void> {
    await this.#endPack();
    await Promise.all(this.#seals);
    await this.#record(session);
  }

  /** Keeps the packs, because rows that refer to them may be visible from now on. */
  keep(): void {
    this.areKept = true;
  }

  /** Removes the packs that were written. */
  async removeAll(): Promise<void> {
    await this.#open?.file?.abandon();
    await Promise.allSettled(this.#seals);
    for (const id of this.#created) await this.#store.remove(id);
  }

  async #begin(session: Client, id: string): Promise<void> {
    await this.#endPack();
    if (this.#stored.length >= 1_000) await this.#record(session);
    const { rows } = await session.query<{ size: number }>(
      'select size::float8 as size from pack where id = $1 and not exists (select from stored_pack where id = $1)',
      [id],
    );
    const [row] = rows;
    if (row) this.#created.push(id);
    const file = row ? await this.#store.create(id) : null;
    this.#open = { id, sizeBytes: row?.size ?? 0, parts: 0, writtenBytes: 0, file };
  }

  async #endPack(): Promise<void> {
    const pack = this.#open;
    this.#open = null;
    if (!pack?.file) return;
    const { id, sizeBytes, writtenBytes, file } = pack;
    if (writtenBytes !== sizeBytes) {
      await file.abandon();
      throw new Error(`Pack ${id} has ${writtenBytes} bytes in the backup, and ${sizeBytes} according to its row.`);
    }
    const seal: Promise<void> = this.#limit(() => file.seal(sizeBytes)).then(() => {
      this.#seals.delete(seal);
      this.#stored.push(id);
      this.count += 1;
      failpoint('restore.pack-written');
    });
    seal.catch(() => {}); // The method `finish` throws the error.
    this.#seals.add(seal);
    if (this.#seals.size >= SEALS_AT_ONCE) await Promise.race(this.#seals);
  }

  async #record(session: Client): Promise<void> {
    const ids = this.#stored.splice(0);
    await session.query('insert into stored_pack select unnest($1::uuid[])', [ids]);
  }
}
