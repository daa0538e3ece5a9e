import type { Client } from 'pg';
import { CopyIn, quoteName } from '../../database/copy.ts';
import type { BackupMember } from '../../storage/backup-file.ts';
import { decompressRows } from './earlier-backup.ts';
import type { OpenBackup } from './chain.ts';
import { columnList, type TableColumns } from './tables.ts';

const ROWS_MEMBER = /^rows\/(\w+)\/\d{8}\.copy\.zst$/;

/** Loads the rows of a backup into empty tables, in a transaction. Triggers do not run, so nothing is notified. */
export class RowLoader {
  readonly #session: Client;
  readonly #backup: OpenBackup;
  readonly #prefix: string;
  readonly #counts = new Map<string, number>();
  #table: TableColumns | null = null;
  #copy: CopyIn | null = null;

  /** @param options.prefix Begins the names of the tables. Tables with a prefix are temporary, and have no triggers. */
  constructor(session: Client, backup: OpenBackup, { prefix = '' }: { prefix?: string } = {}) {
    this.#session = session;
    this.#backup = backup;
    this.#prefix = prefix;
  }

  /** Loads one part of the rows of a table. The parts of a table follow one another. */
  async load({ name, bytes }: BackupMember): Promise<void> {
    const [, tableName] = ROWS_MEMBER.exec(name) ?? [];
    const { label, manifest } = this.#backup;
    const table = manifest.tables.find((each) => each.name === tableName);
    if (!table)
      throw new Error(`${label} has the member ${name}, which this Berth does not know. Install a newer Berth.`);
    if (table !== this.#table) await this.#begin(table);
    await this.#copy!.write(await decompressRows(bytes));
  }

  /** Ends the last table, and sets the sequences. @returns The number of accounts and deployments. */
  async finish(): Promise<{ accounts: number; deployments: number }> {
    await this.#endTable();
    for (const { table, column, value } of this.#backup.manifest.sequences)
      await this.#session.query('select setval(pg_get_serial_sequence($1, $2), $3)', [quoteName(table), column, value]);
    return { accounts: this.#counts.get('account') ?? 0, deployments: this.#counts.get('deployment') ?? 0 };
  }

  /** Turns the triggers on again. Call it at the end of the transaction. */
  async enableTriggers(): Promise<void> {
    for (const name of this.#counts.keys())
      await this.#session.query(`alter table ${quoteName(name)} enable trigger user`);
  }

  async #begin(table: TableColumns): Promise<void> {
    await this.#endTable();
    if (this.#counts.has(table.name)) throw new Error(`${this.#backup.label} has the rows of "${table.name}" twice.`);
    this.#counts.set(table.name, 0);
    this.#table = table;
    const name = quoteName(this.#prefix + table.name);
    if (this.#prefix === '') await this.#session.query(`alter table ${name} disable trigger user`);
    this.#copy = new CopyIn(this.#session, `copy ${name} (${columnList(table)}) from stdin`);
  }

  async #endTable(): Promise<void> {
    if (!this.#copy) return;
    this.#counts.set(this.#table!.name, await this.#copy.end());
    this.#copy = null;
    this.#table = null;
  }
}
