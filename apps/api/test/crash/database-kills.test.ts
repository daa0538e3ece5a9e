import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProcess } from '@berth/testing/process';
import { type Answer, OWNER_KEY } from '@berth/testing/requests';
import { expect, it } from 'vitest';

/** How often the database is killed; a release needs a run with `KILLS=20`. */
const KILLS = Number(process.env['KILLS'] ?? 2);
const MAX_SECONDS = 15;
const DEPLOYERS = 3;
const VISITORS = 3;

it.concurrent.each([1, 2])(
  `api §12: a server whose database is killed ${KILLS} times under load recovers within ${MAX_SECONDS} s and loses nothing, WORKERS=%i`,
  { timeout: 60_000 + KILLS * 30_000 },
  async (workers) => {
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
    /** Everything published, by the page of each deployment. */
    const published = new Map<string, string>();
    const faults: string[] = [];
    let unavailable = 0;
    let isOver = false;

    /** Records every answer that is neither correct nor a 503 with `Retry-After`. */
    async function ask(
      what: string,
      work: Promise<Answer>,
      right: (answer: Answer) => boolean,
    ): Promise<Answer | null> {
      const answer = await work.catch((error: Error) => error);
      if (answer instanceof Error) faults.push(`${what}: ${answer.message}`);
      else if (answer.status === 503 && Number(answer.headers['retry-after']) >= 1) unavailable += 1;
      else if (right(answer)) return answer;
      else faults.push(`${what}: ${answer.status} ${answer.text.slice(0, 200)}`);
      return null;
    }

    async function deployOn(name: string): Promise<void> {
      for (let n = 0; !isOver; n += 1) {
        const page = `<h1>${name} ${n}</h1>`;
        const files = { 'index.html': page, 'data.bin': Buffer.alloc(n % 5 === 0 ? 1_200_000 : 500, page) };
        const headers = { 'Idempotency-Key': `${name}-${n}` };
        for (let answer: Answer | null = null; !answer && !isOver;) {
          answer = await ask(`deploy ${name}-${n}`, server.deploy(files, { headers }), ({ status }) => status === 201);
          if (answer) published.set(answer.json<{ deployment: string }>().deployment, page);
          else await sleep(50);
        }
      }
    }

    async function visitOn(): Promise<void> {
      while (!isOver) {
        const [site, page] = [...published].at(-1 - Math.floor(Math.random() * Math.min(10, published.size))) ?? [];
        if (site) await ask(`visit ${site}`, server.visit(site), ({ status, text }) => status === 200 && text === page);
        await ask('ping', server.api('/ping'), ({ status }) => status === 200);
        await sleep(5);
      }
    }

    /** Kills the database. @returns Seconds until a deploy, a visit and a call worked again. */
    async function killOnce(): Promise<number> {
      const [pid] = (await readFile(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8')).split('\n');
      const killed = performance.now();
      process.kill(Number(pid), 'SIGKILL');
      const before = published.size;
      await expect
        .poll(async () => published.size > before && (await server.api('/account')).status, { timeout: 60_000 })
        .toBe(200);
      return (performance.now() - killed) / 1_000;
    }

    const load = [
      ...Array.from({ length: DEPLOYERS }, (_, n) => deployOn(`d${n}`)),
      ...Array.from({ length: VISITORS }, visitOn),
    ];
    try {
      await expect.poll(() => published.size).toBeGreaterThan(3);
      const seconds: number[] = [];
      for (let kill = 1; kill <= KILLS; kill += 1) {
        seconds.push(await killOnce());
        process.stdout.write(`kill ${kill}: back after ${seconds.at(-1)!.toFixed(2)} s\n`);
        await sleep(500 + Math.random() * 1_000);
      }
      isOver = true;
      await Promise.all(load);
      expect(faults).toEqual([]);
      expect(unavailable).toBeGreaterThan(0);
      expect(Math.max(...seconds)).toBeLessThan(MAX_SECONDS);
      for (const [site, page] of published) expect((await server.visit(site)).text, site).toBe(page);
      const log = server.output();
      expect(log.match(/The database ended \(signal 9\); restarting/g)).toHaveLength(KILLS);
      expect(log.match(/The database is back/g)).toHaveLength(KILLS);
      process.stdout.write(`${published.size} deploys acknowledged, ${unavailable} answers of 503, all else right\n`);
      server.child.kill('SIGTERM');
      expect(await server.exited, server.output()).toBe(0);
    } finally {
      isOver = true;
      await Promise.allSettled(load);
      server.child.kill('SIGKILL');
      await server.exited;
      await rm(dataDir, { recursive: true, force: true, maxRetries: 20 });
    }
  },
);
