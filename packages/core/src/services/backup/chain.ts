import { type BackupSource, readBackup } from '../../storage/backup-reader.ts';
import { type Manifest, parseManifest } from './manifest.ts';
import { NEWEST_SCHEMA } from './tables.ts';

/** A backup whose manifest was read. `members` yields the members after it. */
export interface OpenBackup {
  label: string;
  manifest: Manifest;
  members: ReturnType<typeof readBackup>;
}

/** Opens a backup, and reads its manifest. @throws Error if this program cannot read it; DamagedBackupError. */
export async function openBackup(source: BackupSource, kind: Manifest['kind']): Promise<OpenBackup> {
  const { label } = source;
  const members = readBackup(source);
  const first = await members.next();
  if (first.done) throw new Error(`${label} is not a backup of Berth.`);
  const manifest = parseManifest(label, first.value);
  if (manifest.kind !== kind)
    throw new Error(
      kind === 'account'
        ? `${label} is a backup of an installation, not an exported account. Use "restore".`
        : `${label} is an exported account, not a backup. Use "import".`,
    );
  if (manifest.schema > NEWEST_SCHEMA)
    throw new Error(
      `${label} was written by Berth ${manifest.berth} with schema ${manifest.schema}; this Berth knows schema ${NEWEST_SCHEMA}. Install Berth ${manifest.berth} or newer.`,
    );
  return { label, manifest, members };
}

/**
 * Opens a full backup and its increments.
 *
 * @throws Error if the first is not a full backup, or one does not continue the one before it.
 */
export async function openChain(sources: readonly BackupSource[]): Promise<OpenBackup[]> {
  const chain: OpenBackup[] = [];
  for (const source of sources) {
    const next = await openBackup(source, 'installation');
    const { since } = next.manifest;
    const previous = chain.at(-1);
    if (!previous && since !== null)
      throw new Error(`${next.label} is an increment of the backup ${since}. Name that one first.`);
    if (previous && since !== previous.manifest.id)
      throw new Error(
        `${next.label} does not continue ${previous.label}: it ${since === null ? 'is a full backup' : `continues the backup ${since}`}. Name the full backup, then its increments in order.`,
      );
    chain.push(next);
  }
  return chain;
}
