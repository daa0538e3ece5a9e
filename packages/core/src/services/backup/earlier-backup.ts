import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import { MAX_MEMBER_BYTES } from '../../storage/backup-file.ts';
import { type BackupSource, readBackup } from '../../storage/backup-reader.ts';
import { parseManifest } from './manifest.ts';

/** A backup that an increment continues. */
export interface EarlierBackup {
  id: string;
  keyFingerprint: string;
  /** Whether the backup, or a backup before it, contains a pack. Must be called with ids in ascending order. */
  hasPack(id: string): Promise<boolean>;
  /** Stops reading. */
  close(): Promise<void>;
}

const decompress = promisify(zstdDecompress);

/** Decompresses a part of the rows of a table. @throws if it is larger than a part can be. */
export function decompressRows(bytes: Buffer): Promise<Buffer> {
  return decompress(bytes, { maxOutputLength: MAX_MEMBER_BYTES });
}

/**
 * Opens the backup that an increment continues. Reads only its beginning, which lists its packs.
 *
 * @throws Error if it is not a backup of an installation; DamagedBackupError.
 */
export async function openEarlierBackup(source: BackupSource): Promise<EarlierBackup> {
  const members = readBackup(source);
  const first = await members.next();
  if (first.done) throw new Error(`${source.label} is not a backup of Berth.`);
  const manifest = parseManifest(source.label, first.value);
  if (manifest.kind !== 'installation') throw new Error(`${source.label} is an exported account, not a backup.`);
  const column = manifest.tables.find(({ name }) => name === 'pack')!.columns.indexOf('id');
  const ids = packIds(members, column);
  let next = await ids.next();
  return {
    id: manifest.id,
    keyFingerprint: manifest.key.fingerprint,
    async hasPack(id) {
      while (!next.done && next.value < id) next = await ids.next();
      return !next.done && next.value === id;
    },
    close: async () => void (await ids.return(undefined)),
  };
}

/** Yields the ids of the packs, which the rows list in ascending order. */
async function* packIds(members: ReturnType<typeof readBackup>, column: number): AsyncGenerator<string> {
  let rest = '';
  for await (const { name, bytes } of members) {
    if (name.startsWith('rows/pack/')) {
      const lines = (rest + (await decompressRows(bytes)).toString('latin1')).split('\n');
      rest = lines.pop()!;
      for (const line of lines) yield line.split('\t')[column]!;
    } else if (!name.startsWith('rows/boot/') && name.startsWith('rows/')) return;
  }
}
