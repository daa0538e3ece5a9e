import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProcess } from '@berth/testing/process';
import { type HttpResponse, OWNER_KEY } from '@berth/testing/requests';
import { it } from 'vitest';

/** How many times the database is killed. A release needs a run with `KILLS=20`. */
const KILLS = Number(process.env['KILLS'] ?? 2);
const MAX_SECONDS = 15;
const DEPLOYERS = 3;
const VISITORS = 3;

it.concurrent.for([1, 2])(
  `api §12: a server whose database is killed ${KILLS} times under load recovers within ${MAX_SECONDS} s and loses nothing, WORKERS=%i`,
  { timeout: 60_000 + KILLS * 30_000 },
  // In concurrent tests, `expect.poll` needs the `expect` of the test context.
  async (workers, { expect }) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'berth-kills-'));
    const server = await startProcess({
      NODE_ENV: 'test',
      HOST: '127.0.0.1',
      PORT: '0',
      DATA_DIR: dataDir,
      OWNER_API_KEY: OWNER_KEY,
      WORKERS: String(workers),
      RATE_LIMITS: 'off',
      LOG_LEVEL: 'warn',
    });
    const published = new Map<string, string>();
    const faults: string[] = [];
    let unavailableCount = 0;
    let isOver = false;

    /** Records a fault unless the response is correct or a 503 with `Retry-After`. */
    async function check(
      title: string,
      request: Promise<HttpResponse>,
      isCorrect: (response: HttpResponse) => boolean,
    ): Promise<HttpResponse | null> {
      const response = await request.catch((error: Error) => error);
      if (response instanceof Error) faults.push(`${title}: ${response.message}`);
      else if (response.status === 503 && Number(response.headers['retry-after']) >= 1) unavailableCount += 1;
      else if (isCorrect(response)) return response;
      else faults.push(`${title}: ${response.status} ${response.text.slice(0, 200)}`);
      return null;
    }

    async function keepDeploying(name: string): Promise<void> {
      for (let n = 0; !isOver; n += 1) {
        const page = `<h1>${name} ${n}</h1>`;
        const files = { 'index.html': page, 'data.bin': Buffer.alloc(n % 5 === 0 ? 1_200_000 : 500, page) };
        const headers = { 'Idempotency-Key': `${name}-${n}` };
        for (let response: HttpResponse | null = null; !response && !isOver;) {
          response = await check(
            `deploy ${name}-${n}`,
            server.deploy(files, { headers }),
            ({ status }) => status === 201,
          );
          if (response) published.set(response.json<{ deployment: string }>().deployment, page);
          else await sleep(50);
        }
      }
    }

    async function keepVisiting(): Promise<void> {
      while (!isOver) {
        const [site, page] = [...published].at(-1 - Math.floor(Math.random() * Math.min(10, published.size))) ?? [];
        if (site)
          await check(`visit ${site}`, server.visit(site), ({ status, text }) => status === 200 && text === page);
        await check('ping', server.api('/ping'), ({ status }) => status === 200);
        await sleep(5);
      }
    }

    /** Kills the database. @returns Seconds until deploys and API calls work again. */
    async function killDatabase(): Promise<number> {
      const [pid] = (await readFile(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8')).split('\n');
      const killedAt = performance.now();
      process.kill(Number(pid), 'SIGKILL');
      const publishedBefore = published.size;
      await expect
        .poll(async () => published.size > publishedBefore && (await server.api('/account')).status, {
          timeout: 60_000,
        })
        .toBe(200);
      return (performance.now() - killedAt) / 1_000;
    }

    const trafficLoops = [
      ...Array.from({ length: DEPLOYERS }, (_, n) => keepDeploying(`d${n}`)),
      ...Array.from({ length: VISITORS }, keepVisiting),
    ];
    try {
      await expect.poll(() => published.size).toBeGreaterThan(3);
      const seconds: number[] = [];
      for (let kill = 1; kill <= KILLS; kill += 1) {
        seconds.push(await killDatabase());
        process.stdout.write(`kill ${kill}: back after ${seconds.at(-1)!.toFixed(2)} s\n`);
        await sleep(500 + Math.random() * 1_000);
      }
      isOver = true;
      await Promise.all(trafficLoops);
      expect(faults).toEqual([]);
      expect(unavailableCount).toBeGreaterThan(0);
      expect(Math.max(...seconds)).toBeLessThan(MAX_SECONDS);
      for (const [site, page] of published) expect((await server.visit(site)).text, site).toBe(page);
      const log = server.output();
      expect(log.match(/The database ended \(signal 9\); restarting/g)).toHaveLength(KILLS);
      expect(log.match(/The database is back/g)).toHaveLength(KILLS);
      process.stdout.write(`${published.size} deploys acknowledged, ${unavailableCount} responses with 503\n`);
      server.child.kill('SIGTERM');
      expect(await server.exited, server.output()).toBe(0);
    } finally {
      isOver = true;
      await Promise.allSettled(trafficLoops);
      server.child.kill('SIGKILL');
      await server.exited;
      await rm(dataDir, { recursive: true, force: true, maxRetries: 20 });
    }
  },
);
