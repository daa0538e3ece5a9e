/** The steps at which a test can kill the process, to check the state after a crash. Source: security §6. */
export const FAILPOINTS = [
  'pack.recorded',
  'pack.created',
  'pack.written',
  'pack.synced',
  'pack.sealed',
  'deploy.begun',
  'deploy.contents-inserted',
  'deploy.account-counted',
  'deploy.domain-set',
  'deploy.rows-inserted',
  'deploy.committed',
  'upload.begun',
  'upload.contents-placed',
  'upload.contents-recorded',
  'upload.committed',
  'upload.aborted',
  'compression.sealed',
  'compression.recorded',
  'compaction.copied',
  'compaction.moved',
  'compaction.committed',
  'compaction.released',
  'sweep.deployment-removed',
  'sweep.uploads-removed',
  'sweep.pack-condemned',
  'sweep.pack-file-removed',
  'sweep.pack-row-removed',
  'backup.rows-written',
  'backup.pack-written',
  'restore.rows-loaded',
  'restore.pack-written',
  'restore.committing',
  'restore.committed',
] as const;
export type Failpoint = (typeof FAILPOINTS)[number];

let armedFailpoint: { name: Failpoint; hitsLeft: number; act: () => void } | null = null;

/**
 * Arms one failpoint, so that its nth hit kills the process without any clean-up.
 *
 * @param spec `name` or `name:n`, such as `deploy.committed:2`. An empty text disarms the failpoint.
 * @param act Called instead of killing the process.
 * @throws if the name is not in {@link FAILPOINTS}.
 */
export function armFailpoint(spec: string, act: () => void = () => process.kill(process.pid, 'SIGKILL')): void {
  const [name = '', count = '1'] = spec.split(':');
  if (name === '') {
    armedFailpoint = null;
    return;
  }
  const failpoint = FAILPOINTS.find((point) => point === name);
  if (!failpoint) throw new Error(`There is no failpoint ${name}; there are ${FAILPOINTS.join(', ')}.`);
  armedFailpoint = { name: failpoint, hitsLeft: Number(count), act };
}

/** Kills the process here if a test armed this failpoint. Otherwise does nothing. */
export function failpoint(name: Failpoint): void {
  if (armedFailpoint?.name !== name) return;
  armedFailpoint.hitsLeft -= 1;
  if (armedFailpoint.hitsLeft === 0) armedFailpoint.act();
}
