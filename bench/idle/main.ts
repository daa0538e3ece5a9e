import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { processorMs } from '../deploy/processor-time.ts';
import { residentBytes } from '../deploy/send.ts';
import { API_KEY, heading, OWN_TREE, scaledRounds, startBerth } from '../processes.ts';
import { deploy } from '../serve/publish.ts';

/** The checkout whose server is measured. */
const TREE = process.env['TREE'] ?? OWN_TREE;
const SITES = scaledRounds(1_000);
const DEPLOYS_AT_ONCE = 4;
/** Compressing the new deployments takes a minute on a slow machine. The process returns unused memory after it was idle for a whole minute. */
const QUIET_MINUTES = 3;
const MEASURED_MINUTES = 5;
const MINUTE_MS = 60_000;
const MAX_SHARE = 0.002;
const MAX_MIB = 120;
const MiB = 1024 ** 2;

/** The sites that a server publishes. All files differ. */
interface Kind {
  name: string;
  files: number;
  /** The sum of the sizes of its files, in bytes. */
  size: number;
}
const KINDS: readonly Kind[] = [
  { name: '5 files with 11 KB', files: 5, size: 11_000 },
  { name: '10 files with 194 KB', files: 10, size: 194_000 },
];

interface Minute {
  /** The processor time of the Node process, relative to that of one core. */
  nodeShare: number;
  postgresMs: number;
  /** The resident memory of the Node process at the end of the minute, in MiB. */
  mib: number;
}

/** The files of a site: pages of text that compress well, and one file of random bytes with half of the size. */
function filesOf({ files, size }: Kind, site: number): Map<string, Buffer> {
  const textSize = Math.round(size / 2 / (files - 1));
  const pages = Array.from({ length: files - 1 }, (_, n) => {
    const text = `<!doctype html><title>Site ${site}</title>${`<p>Paragraph of page ${n} of site ${site}.</p>`.repeat(textSize / 40)}`;
    return [n === 0 ? 'index.html' : `pages/${n}.html`, Buffer.from(text.slice(0, textSize))] as const;
  });
  return new Map([...pages, ['photo.jpg', randomBytes(Math.round(size / 2))]]);
}

async function publishSites(port: number, kind: Kind): Promise<void> {
  let next = 0;
  const publishNext = async () => {
    while (next < SITES) await deploy(port, API_KEY, filesOf(kind, (next += 1)));
  };
  await Promise.all(Array.from({ length: DEPLOYS_AT_ONCE }, publishNext));
}

async function measureMinutes(berth: { pid: number; dataDir: string }): Promise<Minute[]> {
  await sleep(QUIET_MINUTES * MINUTE_MS);
  const minutes: Minute[] = [];
  for (let minute = 0; minute < MEASURED_MINUTES; minute += 1) {
    const [before, start] = [processorMs(berth), performance.now()];
    await sleep(MINUTE_MS);
    const after = processorMs(berth);
    minutes.push({
      nodeShare: (after.node - before.node) / (performance.now() - start),
      postgresMs: after.postgres - before.postgres,
      mib: (await residentBytes(berth.pid)) / MiB,
    });
  }
  return minutes;
}

const average = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const percent = (share: number) => `${(share * 100).toFixed(3)} %`;
const verdict = (isMet: boolean) => (isMet ? 'met' : 'MISSED');

function printRows({ name }: Kind, minutes: readonly Minute[]): void {
  const shares = minutes.map(({ nodeShare }) => nodeShare);
  const mibs = minutes.map(({ mib }) => mib);
  const [share, mib] = [average(shares), Math.max(...mibs)];
  console.log(
    `| ${SITES} sites of ${name}: processor time of the Node process | ${percent(share)} of a core (${shares.map(percent).join(', ')}) | under 0.2 % | ${verdict(share < MAX_SHARE)} |`,
  );
  console.log(
    `| the same: resident memory of the Node process | ${mib.toFixed(0)} MiB (${mibs.map((value) => value.toFixed(1)).join(', ')}) | under ${MAX_MIB} MiB | ${verdict(mib < MAX_MIB)} |`,
  );
  console.log(
    `| the same: processor time of PostgreSQL in a minute | ${average(minutes.map(({ postgresMs }) => postgresMs)).toFixed(0)} ms | – | – |`,
  );
}

const servers = await Promise.all(KINDS.map(() => startBerth({}, { tree: TREE })));
try {
  await Promise.all(KINDS.map((kind, n) => publishSites(servers[n]!.port, kind)));
  const results = await Promise.all(servers.map(measureMinutes));
  console.log(
    heading(
      `${MEASURED_MINUTES} minutes, ${QUIET_MINUTES} minutes after the last deploy, both servers beside each other`,
    ),
  );
  console.log('| idle | measured | goal | |\n|---|---|---|---|');
  for (const [n, kind] of KINDS.entries()) printRows(kind, results[n]!);
} finally {
  await Promise.all(servers.map((server) => server.stop()));
}
