import { sql } from 'kysely';
import type { Caller, Core } from '../../core.ts';
import { notFound } from '../../errors.ts';
import { splitNumbers, unpackHashes } from '../packs/contents.ts';
import { secretHash } from '../random.ts';

/** Contents and their lengths in bytes, by SHA-256 in hex. */
export type ContentLengths = ReadonlyMap<string, number>;

/** An upload, as far as it goes on. */
export interface OpenUpload {
  /** What names it in the database: the SHA-256 of its name. */
  hash: Buffer;
  fingerprint: Buffer;
  committed: boolean;
  /** What its client was asked for. */
  asked: ContentLengths;
  /** What of it has come. */
  received: ReadonlySet<string>;
}

interface Row {
  fingerprint: Buffer;
  committed: boolean;
  asked: Buffer;
  lengths: string;
  received: Buffer | null;
}

const NAME = /^[0-9a-f]{32}$/;

/**
 * Finds an upload by its name, all of it as it is at one moment. It belongs to the account that began it; an anonymous one to the address it was begun from.
 *
 * @returns `null` for one that is not there, is somebody else's, or was begun too long ago.
 * Source: contract §9; security T22.
 */
export async function findUpload(core: Core, caller: Caller, name: string): Promise<OpenUpload | null> {
  if (!NAME.test(name)) return null;
  const hash = secretHash(name);
  const { rows } = await sql<Row>`
    select fingerprint, committed is not null as committed, asked, array_to_string(lengths, ',') as lengths,
      (select string_agg(hashes, '') from upload_content where upload_hash = hash) as received
    from upload where hash = ${hash} and expires > ${core.now()} and ${belongsTo(caller)}`.execute(
    core.database.kysely,
  );
  const [row] = rows;
  if (!row) return null;
  const { fingerprint, committed, asked, lengths, received } = row;
  return {
    hash,
    fingerprint,
    committed,
    asked: lengthsOf(asked, lengths),
    received: new Set(received ? unpackHashes(received) : []),
  };
}

/** @throws `not_found`: there is none, to the byte what one of somebody else is told. */
export async function getUpload(core: Core, caller: Caller, name: string): Promise<OpenUpload> {
  const upload = await findUpload(core, caller, name);
  if (!upload) throw noUpload();
  return upload;
}

/** What a missing upload is told. */
export function noUpload() {
  return notFound('upload');
}

/** The contents that an upload still waits for, in the order in which they were asked for. */
export function missingOf({ asked, received }: OpenUpload): string[] {
  return [...asked.keys()].filter((sha256) => !received.has(sha256));
}

/** The condition on a row of `upload` that it is the caller's. */
function belongsTo(caller: Caller) {
  return caller.kind === 'account'
    ? sql`account_id = ${caller.account}`
    : sql`account_id is null and address = ${caller.address}`;
}

/** @param lengths As a text with commas, in the order of the hashes. */
function lengthsOf(hashes: Buffer, lengths: string): Map<string, number> {
  const numbers = splitNumbers(lengths);
  return new Map(unpackHashes(hashes).map((sha256, i) => [sha256, numbers[i]!]));
}
