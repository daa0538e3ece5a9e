import { finished } from 'node:stream/promises';
import type { Client, QueryResult } from 'pg';
import { type CopyStreamQuery, from, to } from 'pg-copy-streams';

/** Runs `COPY … TO STDOUT`, whose text is streamed no faster than it is read. */
export function copyOut(session: Client, statement: string): AsyncIterable<Buffer> {
  return session.query(to(statement));
}

/** The data of a `COPY … FROM STDIN` statement of a pool session, which has it as its only parameter. */
export class CopyData {
  readonly chunks: Iterable<Buffer>;
  readonly onSent: () => Promise<unknown>;

  /**
   * @param chunks The data. Each chunk is taken when the connection accepts it, so that the database reads one while the next is encoded.
   * @param onSent Called when the data was sent, while the database still reads it. If it rejects, so does the statement.
   */
  constructor(chunks: Iterable<Buffer>, onSent: () => Promise<unknown>) {
    this.chunks = chunks;
    this.onSent = onSent;
  }
}

/** Returns the data of a statement with {@link CopyData}; `null` for other statements. */
export function copyDataOf(parameters: unknown): CopyData | null {
  const [data]: unknown[] = Array.isArray(parameters) ? parameters : [];
  return data instanceof CopyData ? data : null;
}

/** What {@link CopyIn} needs of a session. */
interface CopySession {
  query(copy: CopyStreamQuery): CopyStreamQuery;
}

/** A running `COPY … FROM STDIN`. */
export class CopyIn {
  readonly #stream;
  readonly #ended: Promise<void>;

  /** @param statement The statement, whose table and columns must be quoted with {@link quoteName}. */
  constructor(session: CopySession, statement: string) {
    this.#stream = session.query(from(statement));
    this.#ended = finished(this.#stream);
    this.#ended.catch(() => {}); // The method `end` throws the error.
  }

  /** Sends bytes, and waits until the connection accepts more. */
  async write(bytes: Buffer): Promise<void> {
    if (bytes.length === 0) return;
    const written = new Promise<void>((resolve, reject) => {
      this.#stream.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
    await Promise.race([written, this.#ended]);
  }

  /** Ends the statement. @returns The number of rows. @throws the error of the database. */
  async end(): Promise<number> {
    this.#stream.end();
    await this.#ended;
    return this.#stream.rowCount;
  }
}

/** Sends the data of a running `COPY … FROM STDIN`. @returns The result, in the form of `pg`. @throws the error of the database. */
export async function sendCopy(
  copy: CopyIn,
  { chunks, onSent }: CopyData,
): Promise<Pick<QueryResult, 'rowCount' | 'rows'>> {
  for (const chunk of chunks) await copy.write(chunk);
  const [rowCount] = await Promise.all([copy.end(), onSent()]);
  return { rowCount, rows: [] };
}

/** Quotes the name of a table or column. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Makes COPY write the same text on every server, and removes limits on the time of statements and of the session. */
export async function prepareCopySession(session: Client): Promise<void> {
  await session.query(`
    select set_config(name, setting, false) from (values
      ('datestyle', 'ISO, YMD'), ('timezone', 'UTC'), ('intervalstyle', 'postgres'), ('bytea_output', 'hex'),
      ('extra_float_digits', '1'), ('statement_timeout', '0'), ('idle_session_timeout', '0'),
      ('idle_in_transaction_session_timeout', '0'), ('transaction_timeout', '0')) as s (name, setting)
    where exists (select 1 from pg_settings p where lower(p.name) = s.name)`);
}
