import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { heading, median, startBerth } from '../processes.ts';
import { startDebianPostgres } from './debian-postgres.ts';
import { operate } from './operator.ts';
import { clientOf, countIdentical, publishSites, startTraffic } from './sites.ts';

const SITES = Number(process.env['SITES'] ?? 1_000);
const CLIENTS = 8;
const ROUNDS = 3;
const MiB = 1024 ** 2;
const run = promisify(execFile);

/** One row of the table. A row without a goal only informs. */
interface Row {
  label: string;
  measured: string;
  goal?: string;
  met?: boolean;
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
const mebibytes = (bytes: number) => `${(bytes / MiB).toFixed(0)} MiB`;

/** Measures backups and their reference, alternating, while clients deploy. */
async function measureBackups(
  folder: string,
): Promise<{ rows: Row[]; file: string; sites: Awaited<ReturnType<typeof publishSites>> }> {
  const postgres = await startDebianPostgres(join(folder, 'postgres'));
  const berth = await startBerth({ DATABASE_URL: postgres.url, DATA_DIR: join(folder, 'source') });
  const env = { DATABASE_URL: postgres.url, DATA_DIR: berth.dataDir, PORT: String(berth.port) };
  try {
    const client = clientOf(berth.port);
    const sites = await publishSites(client, SITES, CLIENTS);
    const traffic = startTraffic(client, CLIENTS);
    const backups: Awaited<ReturnType<typeof operate>>[] = [];
    const references: number[] = [];
    const file = join(folder, 'backup.tar');
    for (let round = 0; round < ROUNDS; round += 1) {
      backups.push(await operate(env, 'backup', file));
      const start = performance.now();
      await postgres.dump(join(folder, 'dump'));
      // A file may be removed while tar reads its folder, which is why this reference is not a consistent backup.
      await run('tar', ['-C', berth.dataDir, '-cf', join(folder, 'packs.tar'), 'packs', 'secret-key']).catch(() => {});
      await run('sync', [join(folder, 'dump'), join(folder, 'packs.tar')]);
      references.push(performance.now() - start);
    }
    const increment = await operate(env, 'backup', join(folder, 'increment.tar'), '--since', file);
    const deploys = await traffic.stop();
    const [backupMs, referenceMs] = [median(backups.map(({ ms }) => ms)), median(references)];
    const rows: Row[] = [
      {
        label: `backup of ${SITES} sites while ${CLIENTS} clients deploy, beside \`pg_dump\` ${postgres.version} and \`tar\``,
        measured: `${(backupMs / referenceMs).toFixed(2)}x  (${seconds(backupMs)} / ${seconds(referenceMs)}; ${mebibytes((await stat(file)).size)}; ${deploys} deploys meanwhile)`,
      },
      {
        label: 'peak of resident memory of the backup',
        measured: mebibytes(Math.max(...backups.map((each) => each.peakBytes))),
      },
      {
        label: 'increment after the last of these backups',
        measured: `${seconds(increment.ms)}, ${mebibytes((await stat(join(folder, 'increment.tar'))).size)}`,
      },
    ];
    return { rows, file, sites };
  } finally {
    await berth.stop();
    await postgres.stop();
  }
}

async function measureRestore(
  folder: string,
  file: string,
  sites: Awaited<ReturnType<typeof publishSites>>,
): Promise<Row[]> {
  const env = { DATA_DIR: join(folder, 'target') };
  const restored = await operate(env, 'restore', file);
  const doctor = JSON.parse((await operate(env, 'doctor', '--json')).output) as { findings: { severity: string }[] };
  const problems = doctor.findings.filter(({ severity }) => severity !== 'advice').length;
  const berth = await startBerth(env);
  const identical = await countIdentical(clientOf(berth.port), sites).finally(() => berth.stop());
  return [
    {
      label: 'restore into an empty installation on the embedded PostgreSQL',
      measured: `${seconds(restored.ms)}, peak of resident memory ${mebibytes(restored.peakBytes)}`,
    },
    { label: 'problems that `doctor` finds', measured: `${problems}`, goal: '0', met: problems === 0 },
    {
      label: 'sites from before the backup that are served byte for byte',
      measured: `${identical} of ${sites.length}`,
      goal: 'all',
      met: identical === sites.length,
    },
  ];
}

const folder = await mkdtemp(join(tmpdir(), 'berth-bench-backup-'));
try {
  await mkdir(join(folder, 'kept'));
  const { rows, file, sites } = await measureBackups(folder);
  // The backup of the last round, which the increment continues, is the one to restore.
  const kept = join(folder, 'kept', 'backup.tar');
  await copyFile(file, kept);
  const restoreRows = await measureRestore(folder, kept, sites);
  console.log(heading(`medians of ${ROUNDS} alternating rounds, load ${loadavg()[0]!.toFixed(1)}`));
  console.log('| backup | measured | goal | |\n|---|---|---|---|');
  for (const { label, measured, goal = '', met } of [...rows, ...restoreRows])
    console.log(`| ${label} | ${measured} | ${goal} | ${met === undefined ? '' : met ? 'met' : 'MISSED'} |`);
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
