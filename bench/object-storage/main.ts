import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { startEmbeddedPostgres } from '@berth/core';
import { hasRadosgw, startRadosgw } from '@berth/testing/radosgw';
import { deployBody, randomContents } from '../deploy/bodies.ts';
import { send } from '../deploy/send.ts';
import { type BenchServer, heading, median, scaledRounds, startBerth } from '../processes.ts';

/** Rounds after which the code of both servers is compiled. */
const WARM_UP_ROUNDS = 3;
const ROUNDS = scaledRounds(7);
const GOAL = 1.5;

interface Measured {
  diskMs: number;
  bucketMs: number;
  ratio: number;
}

/** Measures deploys of new files by a server with packs on the disk and one with packs in a bucket, in alternation. */
async function compareDeploys(disk: BenchServer, bucket: BenchServer, files: number, bytes: number): Promise<Measured> {
  const times: { disk: number; bucket: number }[] = [];
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round += 1) {
    const time = { disk: 0, bucket: 0 };
    for (const [name, server] of round % 2 === 0
      ? ([
          ['disk', disk],
          ['bucket', bucket],
        ] as const)
      : ([
          ['bucket', bucket],
          ['disk', disk],
        ] as const)) {
      const body = deployBody(randomContents(files, bytes));
      time[name] = await send(server, body.contentType, body.bytes.length, [body.bytes]);
    }
    if (round >= 0) times.push(time);
  }
  return {
    diskMs: median(times.map((time) => time.disk)),
    bucketMs: median(times.map((time) => time.bucket)),
    ratio: median(times.map((time) => time.bucket / time.disk)),
  };
}

if (!hasRadosgw) throw new Error('This measures against radosgw: apt-get install radosgw ceph-mon ceph-osd');
const started = performance.now();
const store = await startRadosgw();
const startSeconds = (performance.now() - started) / 1000;
const folder = await mkdtemp(join(tmpdir(), 'berth-bench-'));
// An object store needs a database outside of Berth. This one is set up like that of the other server.
const postgres = await startEmbeddedPostgres(folder, { maxConnections: 100 });
const { socketDir, user, database } = postgres.address;
const settings = { COMPRESSION: 'off', NODE_ENV: 'test' };
const servers = await Promise.all([
  startBerth(settings),
  startBerth({
    ...settings,
    DATABASE_URL: `postgresql://${user}@${encodeURIComponent(socketDir)}:5432/${database}`,
    STORAGE_URL: store.url,
    SECRET_KEY: 'ab'.repeat(32),
    ...store.env,
  }),
]);
const [disk, bucket] = servers;
try {
  console.log(
    heading(`medians of ${ROUNDS} alternating rounds; radosgw on the same machine, up in ${startSeconds.toFixed(0)} s`),
  );
  console.log('| deploy of new files | bucket / disk | disk | bucket | goal | |\n|---|---|---|---|---|---|');
  for (const [label, files, bytes, goal] of [
    ['1 of 3 KB', 1, 3_000, null],
    ['2,000 of 3 KB', 2_000, 3_000, null],
    ['10,000 of 3 KB', 10_000, 3_000, GOAL],
    ['100 of 1 MB', 100, 1_000_000, null],
  ] as const) {
    const { diskMs, bucketMs, ratio } = await compareDeploys(disk, bucket, files, bytes);
    const verdict = goal === null ? '' : ratio <= goal ? 'met' : 'MISSED';
    const limit = goal === null ? '' : `at most ${goal}x`;
    console.log(
      `| ${label} | ${ratio.toFixed(2)}x | ${diskMs.toFixed(0)} ms | ${bucketMs.toFixed(0)} ms | ${limit} | ${verdict} |`,
    );
  }
} finally {
  await Promise.all(servers.map((server) => server.stop()));
  await store.stop();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}
