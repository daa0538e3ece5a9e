import type { UploadFile } from '@berth/contract';
import type { EntityManager } from '@mikro-orm/postgresql';
import { type Expression, expressionBuilder, type RawBuilder, sql } from 'kysely';
import type { Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { TextArray } from '../../entities/text-array.ts';
import type { IndexEntry } from '../../storage/pack-index.ts';

/** A pack whose contents are being made durable. */
export interface NewPack {
  id: string;
  contents: readonly IndexEntry[];
  /** The encoded index of the pack. */
  index: Buffer;
  /** Resolves when the transaction that refers to the pack may begin: small packs on a disk become durable meanwhile. Rejects like `sealed`. */
  ready: Promise<unknown>;
  /** Resolves when the pack is durable; rejects if it cannot be written. */
  sealed: Promise<{ sizeBytes: number }>;
}

/** Contents and their lengths in bytes, by SHA-256 in hex. */
export type ContentLengths = ReadonlyMap<string, number>;

export const HASH_BYTES = 32;

/** The hashes that are decoded at once. A text of all of them would be so large that V8 reserves new memory for it each time. */
const HASHES_AT_ONCE = 256;

/** Concatenates hashes into one parameter: PostgreSQL splits 10,000 of them faster than it reads an array. */
export function packHashes(hashes: readonly string[]): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; at < hashes.length; at += HASHES_AT_ONCE)
    pieces.push(Buffer.from(hashes.slice(at, at + HASHES_AT_ONCE).join(''), 'hex'));
  return Buffer.concat(pieces);
}

/** Splits concatenated hashes. Returns each in hex. */
export function unpackHashes(packed: Uint8Array): string[] {
  const hex = Buffer.from(packed.buffer, packed.byteOffset, packed.length).toString('hex');
  return Array.from({ length: packed.length / HASH_BYTES }, (_, i) =>
    hex.slice(i * HASH_BYTES * 2, (i + 1) * HASH_BYTES * 2),
  );
}

/** Formats numbers as the text of a `bigint[]`. The driver takes ten times as long, because it escapes each number. */
export function numberArray(numbers: readonly number[]): string {
  return `{${numbers.join(',')}}`;
}

/** Formats texts as the text of a `text[]`. The driver takes longer, because it also writes nested arrays. */
export function textArray(texts: string[]): string {
  return new TextArray().convertToDatabaseValue(texts);
}

/** Parses the text of a `bigint[]` as {@link joinNumbers} selects it. */
export function splitNumbers(text: string): number[] {
  return text === '' ? [] : text.split(',').map(Number);
}

/** Maps packed hashes to their lengths, which {@link joinNumbers} selected. */
export function lengthsOf(hashes: Uint8Array, lengths: string): Map<string, number> {
  const numbers = splitNumbers(lengths);
  return new Map(unpackHashes(hashes).map((sha256, i) => [sha256, numbers[i]!]));
}

/** Reads the files of a deployment, or of an upload that is not committed. Returns `null` if it does not exist. */
export async function readFiles(
  source: Core | EntityManager,
  owner: { deployment: string } | { upload: Buffer },
): Promise<UploadFile[] | null> {
  const table =
    'deployment' in owner
      ? sql`manifest where deployment_id = ${owner.deployment}`
      : sql`upload where hash = ${owner.upload} and committed is null`;
  const { rows } = await sql<Parameters<typeof filesOf>[0]>`
    select array_to_json(paths) as paths, hashes, array_to_string(sizes, ',') as sizes from ${table}`.execute(
    db(source),
  );
  return rows[0] ? filesOf(rows[0]) : null;
}

/** Returns the files of a manifest or an upload. @param list.sizes The sizes in bytes, which {@link joinNumbers} selected. */
function filesOf(list: { paths: readonly string[]; hashes: Uint8Array; sizes: string }): UploadFile[] {
  const sha256s = unpackHashes(list.hashes);
  const sizes = splitNumbers(list.sizes);
  return list.paths.map((path, i) => ({ path, sha256: sha256s[i]!, size: sizes[i]! }));
}

/** SQL for the hash at a position in packed hashes. The first position is 1. */
export const hashAtPosition = (packed: unknown, position: string) =>
  sql`substring(${packed}::bytea from (${sql.raw(position)}::int - 1) * ${sql.lit(HASH_BYTES)} + 1 for ${sql.lit(HASH_BYTES)})`;

/** SQL for a hash in hex. */
export function hexOf(hash: Expression<Uint8Array>) {
  const { fn, val } = expressionBuilder();
  return fn<string>('encode', [hash, val('hex')]);
}

/** SQL for a `bigint[]` as a text with commas, which is faster to parse than an array. */
export function joinNumbers(numbers: Expression<number[]>) {
  const { fn, val } = expressionBuilder();
  return fn<string>('array_to_string', [numbers, val(',')]);
}

/** SQL for an array of the given hashes, which are in hex. */
export function hashArray(hashes: readonly string[]): RawBuilder<Uint8Array[]> {
  const hash = hashAtPosition(packHashes(hashes), 'position');
  return sql`array(select ${hash} from generate_series(1, ${hashes.length}::int) as position)`;
}

/** SQL for the condition that a row of `content` has one of the given hashes, which are in hex. */
export function isOneOf(hashes: readonly string[]): RawBuilder<boolean> {
  return sql<boolean>`hash = any(${hashArray(hashes)})`;
}

/** Returns whether any of the given contents is stored. The sweep can remove contents unless the fence is held. */
export async function isAnyStored(em: EntityManager, hashes: readonly string[]): Promise<boolean> {
  const row = await db(em).selectFrom('content').select('length').where(isOneOf(hashes)).limit(1).executeTakeFirst();
  return row !== undefined;
}

/** Fewer queries cost less, but the last one begins only after the last content. */
const MAX_HASHES_PER_QUERY = 2_500;

/**
 * Finds which contents are stored, while further contents still arrive. Queries the database in batches. The sweep can
 * remove contents unless the fence is held.
 */
export class StoredContentsQuery {
  readonly #core: Core;
  readonly #results: Promise<{ sha256: string }[]>[] = [];
  #pending: string[] = [];

  constructor(core: Core) {
    this.#core = core;
  }

  /** Adds a content, by SHA-256 in hex. */
  add(sha256: string): void {
    if (this.#pending.push(sha256) === MAX_HASHES_PER_QUERY) this.query();
  }

  /** Begins to find the contents that were added since the last query, so that the result is known earlier. */
  query(): void {
    if (this.#pending.length === 0) return;
    const storedContents = db(this.#core).selectFrom('content').where(isOneOf(this.#pending));
    const result = storedContents.select(({ ref }) => hexOf(ref('hash')).as('sha256')).execute();
    result.catch(() => {}); // The method `result` throws the error.
    this.#results.push(result);
    this.#pending = [];
  }

  /** Returns the added contents that are stored, by SHA-256 in hex. @throws the errors of the database. */
  async result(): Promise<Set<string>> {
    this.query();
    return new Set((await Promise.all(this.#results)).flat().map(({ sha256 }) => sha256));
  }
}
