/**
 * The named steps at which a test can end a process, to see what a crash there leaves behind.
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
 * Arms one failpoint: the process is killed, without any clean-up, at its nth hit.
 *
 * @param spec `name` or `name:n`, such as `deploy.committed:2`; empty disarms.
 * @param act What happens instead.
 * @throws on a name that is not in {@link FAILPOINTS}.
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

/** A step that can be made fatal. Does nothing unless a test armed it. */
export function failpoint(name: Failpoint): void {
  if (armed?.name !== name) return;
  armed.hitsLeft -= 1;
  if (armed.hitsLeft === 0) armed.act();
}
