/**
 * The named steps at which a test can kill a process, to check what a crash there leaves behind.
 *
 * Source: security §6.
 */
export const FAILPOINTS = [
  'pack.recorded',
  'pack.created',
  'pack.written',
  'pack.synced',
  'pack.sealed',
  'deploy.begun',
  'deploy.contents-inserted',
  'deploy.account-counted',
  'deploy.rows-inserted',
  'deploy.committed',
  'upload.begun',
  'upload.contents-placed',
  'upload.contents-recorded',
  'upload.committed',
  'upload.aborted',
  'compression.sealed',
  'compression.recorded',
  'sweep.deployment-removed',
  'sweep.uploads-removed',
  'sweep.pack-condemned',
  'sweep.pack-file-removed',
  'sweep.pack-row-removed',
] as const;
export type Failpoint = (typeof FAILPOINTS)[number];

let armed: { name: Failpoint; hitsLeft: number; act: () => void } | null = null;

const killThisProcess = () => process.kill(process.pid, 'SIGKILL');

/**
 * Arms one failpoint: at its nth hit the process is killed without any clean-up.
 *
 * @param spec `name` or `name:n`, such as `deploy.committed:2`. An empty text disarms.
 * @param act Called instead of killing the process.
 * @throws if the name is not in {@link FAILPOINTS}.
 */
export function armFailpoint(spec: string, act: () => void = killThisProcess): void {
  const [name = '', count = '1'] = spec.split(':');
  if (name === '') {
    armed = null;
    return;
  }
  const known = FAILPOINTS.find((point) => point === name);
  if (!known) throw new Error(`There is no failpoint ${name}; there are ${FAILPOINTS.join(', ')}.`);
  armed = { name: known, hitsLeft: Number(count), act };
}

/** Kills the process here if a test armed this failpoint. Otherwise does nothing. */
export function failpoint(name: Failpoint): void {
  if (armed?.name !== name) return;
  armed.hitsLeft -= 1;
  if (armed.hitsLeft === 0) armed.act();
}
