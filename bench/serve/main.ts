import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BenchServer, heading, scaledRounds, startBare } from '../processes.ts';
import { LARGE_FILE } from './files.ts';
import { servingPids } from './process.ts';
import { measureColdSites, descriptors, type Finding, memory } from './resources.ts';
import { rowsOf } from './rows.ts';
import { prepareScene, type Scene } from './scene.ts';
import { head, line } from './table.ts';
import { type Contender, type Measured, measureRow, rateOf, ratioOf } from './throughput.ts';
import { isInstalled, startCaddy, startNginx, type WebServer } from './web-servers.ts';
import { CONNECTIONS, hasWrk, THREADS } from './wrk.ts';

const readSetting = (variable: string, fallback: number) => Number(process.env[variable] ?? fallback);
const rounds = { seconds: readSetting('ROUND_SECONDS', 1), rounds: readSetting('ROUNDS', scaledRounds(3)) };
const memoryRequests = readSetting('MEMORY_REQUESTS', 1_000_000);
const memorySeconds = readSetting('MEMORY_SECONDS', 120);
const ABORTED_DOWNLOADS = 10_000;
const MIN_LOGGING_RATIO = 0.9;
/**
 * The log is measured in more rounds and with new servers for each group of rounds, because its cost is close to the noise: two servers
 * with the same configuration can differ by a tenth for as long as they run.
 */
const LOG_ROUNDS = { seconds: 2, rounds: scaledRounds(4) };
const LOG_STARTS = scaledRounds(4);
const WITH_LOG = 'Berth 1, LOG_LEVEL=info';

/** Starts every server of the table, and one Berth for a note. `withOthers` adds web servers and libraries. */
async function startContenders(
  scene: Scene,
  running: AsyncDisposableStack,
  notes: string[],
  withOthers: boolean,
): Promise<Contender[]> {
  const { tree, recorded } = scene;
  const contenders: Contender[] = [];
  const addContender = async <S extends WebServer>(name: string, starting: Promise<S>, only?: string): Promise<S> => {
    const server = await starting;
    running.defer(() => server.stop());
    contenders.push({ name, port: server.port, ...(only === undefined ? {} : { only }) });
    return server;
  };
  const program = (name: string) => join(import.meta.dirname, `${name}.ts`);
  await addContender('Berth 1', scene.startBerth({ WORKERS: '1' }));
  const twoWorkers = await addContender('Berth 2', scene.startBerth({ WORKERS: '2' }));
  if ((await servingPids(twoWorkers.pid)).length < 2) notes.push('WORKERS=2 did not make a second process.');
  await addContender('node 1', startBare(program('bare-server'), [recorded, '1']));
  await addContender('node 2', startBare(program('bare-server'), [recorded, '2']));
  if (!withOthers) return contenders;
  if (isInstalled('nginx')) {
    await addContender('nginx 1', startNginx(tree, 1));
    await addContender('nginx 2', startNginx(tree, 2));
  } else notes.push('nginx is not installed: skipped.');
  if (isInstalled('caddy')) await addContender('Caddy', startCaddy(tree));
  else notes.push('Caddy is not installed: skipped.');
  await addContender('sirv', startBare(program('static-server'), ['sirv', tree]));
  await addContender('express', startBare(program('static-server'), ['express', tree]));
  await addContender(WITH_LOG, scene.startBerth({ WORKERS: '1', LOG_LEVEL: 'info' }), 'page of 4 KB');
  return contenders;
}

/** Measures every kind of request on one server after another. */
async function throughput(scene: Scene, withOthers = true): Promise<void> {
  const notes: string[] = [];
  await using runningServers = new AsyncDisposableStack();
  const contenders = await startContenders(scene, runningServers, notes, withOthers);
  const names = contenders.filter(({ only }) => only === undefined).map(({ name }) => name);
  const note = (text: string) => notes.push(text);
  const { seconds, rounds: count } = rounds;
  console.log(
    heading(
      `wrk with ${CONNECTIONS} connections and ${THREADS} threads, medians of ${count} alternating rounds of ${seconds} s`,
    ),
  );
  console.log(head(names));
  for (const row of rowsOf({ files: scene.files, sites: scene.manySites })) {
    const measured = await measureRow(row, contenders, scene.host, rounds, note);
    console.log(line(row, names, measured));
    const loggingRatio = ratioOf(measured, WITH_LOG, 'Berth 1');
    if (loggingRatio !== null)
      note(
        `${row.name}: ${WITH_LOG}: ${rateOf(measured, WITH_LOG).toFixed(0)}, ${loggingRatio.toFixed(2)} of Berth 1.`,
      );
  }
  console.log(`\n${notes.map((text) => `- ${text}`).join('\n')}`);
}

/** Measures what the log of requests costs: servers that log them to a file beside servers that do not. */
async function requestLog(scene: Scene): Promise<void> {
  const rates = new Map<string, number[]>();
  for (let start = 0; start < LOG_STARTS; start += 1)
    for (const [name, measured] of await measureLog(scene)) {
      if (typeof measured === 'string') throw new Error(`${name} is ${measured}.`);
      rates.set(name, [...(rates.get(name) ?? []), ...measured]);
    }
  const { seconds, rounds: count } = LOG_ROUNDS;
  console.log(
    heading(
      `wrk with ${CONNECTIONS} connections, medians of ${LOG_STARTS} starts with ${count} rounds of ${seconds} s`,
    ),
  );
  console.log(
    '| page of 4 KB, requests/s | LOG_LEVEL=warn | LOG_LEVEL=info | ratio | goal | |\n|---|---|---|---|---|---|',
  );
  for (const workers of ['1', '2']) {
    const [silent, logging] = [`${workers} warn`, `${workers} info`];
    const ratio = ratioOf(rates, logging, silent) ?? 0;
    const columns = [silent, logging].map((name) => rateOf(rates, name).toFixed(0));
    const verdict = ratio >= MIN_LOGGING_RATIO ? 'met' : 'MISSED';
    console.log(
      `| Berth ${workers} | ${columns.join(' | ')} | ${ratio.toFixed(2)} | at least ${MIN_LOGGING_RATIO} | ${verdict} |`,
    );
  }
}

/** Measures new servers with and without the log. Their names are those of the settings, such as `1 warn`. */
async function measureLog(scene: Scene): Promise<Measured> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-bench-log-'));
  await using runningServers = new AsyncDisposableStack();
  runningServers.defer(() => rm(folder, { recursive: true }));
  const contenders: Contender[] = [];
  for (const workers of ['1', '2'])
    for (const level of ['warn', 'info']) {
      const outputFile = join(folder, `${workers}-${level}`);
      const berth = await scene.startBerth({ WORKERS: workers, LOG_LEVEL: level }, { outputFile });
      runningServers.defer(() => berth.stop());
      contenders.push({ name: `${workers} ${level}`, port: berth.port });
    }
  const [page] = rowsOf({ files: scene.files, sites: scene.manySites });
  return await measureRow(page!, contenders, scene.host, LOG_ROUNDS, console.log);
}

/** Measures the memory and latency of Berth, in new processes. */
async function resources(scene: Scene): Promise<void> {
  const findings: Finding[] = [];
  const withNewBerth = async (measure: (berth: BenchServer) => Promise<Finding>) => {
    const berth = await scene.startBerth({ WORKERS: '1' });
    try {
      findings.push(await measure(berth));
    } finally {
      await berth.stop();
    }
  };
  await withNewBerth((berth) => measureColdSites(berth, scene.coldHosts));
  await withNewBerth((berth) => memory(berth, scene.allSites, memoryRequests, memorySeconds));
  await withNewBerth((berth) => descriptors(berth, scene.host, `/${LARGE_FILE}`, ABORTED_DOWNLOADS));
  console.log('\n| Berth, one process | measured | goal | |\n|---|---|---|---|');
  for (const { label, measured, goal, isMet: met } of findings)
    console.log(`| ${label} | ${measured} | ${goal} | ${met ? 'met' : 'MISSED'} |`);
}

if (!hasWrk()) {
  console.log('bench:serve needs wrk to send requests fast enough: install it, for example with "apt install wrk".');
  process.exit(1);
}
// Libraries are measured in production mode.
process.env['NODE_ENV'] = 'production';
const parts = new Map<string, (scene: Scene) => Promise<void>>([
  ['throughput', throughput],
  ['berth', (scene) => throughput(scene, false)],
  ['log', requestLog],
  ['resources', resources],
]);
const args = process.argv.slice(2);
const benchmarks = args.length === 0 ? ['throughput', 'resources'] : args;
await using scene = await prepareScene();
for (const [name, part] of parts) if (benchmarks.includes(name)) await part(scene);
