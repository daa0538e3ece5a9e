import { z } from 'zod';
import type { BackupMember } from '../../storage/backup-file.ts';

/** The version of the format. A program reads only its own version and those that it knows. */
export const FORMAT_VERSION = 1;
export const MANIFEST_MEMBER = 'manifest.json';
export const KEY_MEMBER = 'secret-key';

const Table = z.object({ name: z.string(), columns: z.array(z.string()).min(1) });
const Sequence = z.object({ table: z.string(), column: z.string(), value: z.number().int() });

/** The first member of a backup, or of an exported account. */
const Manifest = z.object({
  format: z.literal('berth-backup'),
  version: z.number().int(),
  /** What the file contains: a whole installation, or one account. */
  kind: z.enum(['installation', 'account']),
  id: z.uuid(),
  /** The id of the backup that this one continues; `null` for a full backup. */
  since: z.uuid().nullable(),
  /** ISO 8601. */
  created: z.iso.datetime(),
  /** The version of Berth that wrote the file. */
  berth: z.string(),
  /** The number of the newest migration of the database. */
  schema: z.number().int().positive(),
  /** Identifies `SECRET_KEY` without revealing it. `included` is true if the file contains the key. */
  key: z.object({ fingerprint: z.string(), included: z.boolean() }),
  tables: z.array(Table),
  sequences: z.array(Sequence),
  /** The sealed packs that the rows refer to, including those in earlier backups. */
  packs: z.object({ count: z.number().int(), bytes: z.number() }),
  /** The exported account, and the host of the platform domains that it has; `null` for an installation. */
  account: z.object({ id: z.string(), email: z.string(), platformHost: z.string() }).nullable(),
});
export type Manifest = z.infer<typeof Manifest>;

/** Parses the first member of a backup. @throws Error if it is not a backup of a version that this program can read. */
export function parseManifest(label: string, member: BackupMember): Manifest {
  const { data: head } = z
    .object({ format: z.literal('berth-backup'), version: z.number() })
    .safeParse(member.name === MANIFEST_MEMBER ? parseJson(member.bytes) : null);
  if (!head) throw new Error(`${label} is not a backup of Berth.`);
  if (head.version > FORMAT_VERSION)
    throw new Error(
      `${label} has version ${head.version} of the format; this Berth reads version ${FORMAT_VERSION}. Install a newer Berth.`,
    );
  return Manifest.parse(parseJson(member.bytes));
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return null;
  }
}
