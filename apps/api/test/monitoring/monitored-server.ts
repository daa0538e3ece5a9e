import { spawnSync } from 'node:child_process';
import type { ServerProcess } from '@berth/testing/process';
import { expect } from 'vitest';
import { PATIENT, type World } from '../crash/world.ts';

export const ADMIN_TOKEN = 'token-of-the-admin-listener-of-the-tests';

/** A server with an admin listener. */
export interface MonitoredServer extends ServerProcess {
  adminPort: number;
  /** Returns the metrics in the text format of Prometheus. */
  metrics(): Promise<string>;
  /** Returns the value of each series, by its name and labels as in the text. */
  series(): Promise<Map<string, number>>;
  /** Returns the process ids of the workers. */
  workers(): number[];
}

export async function startMonitored(world: World, env: Record<string, string> = {}): Promise<MonitoredServer> {
  const server = await world.start({
    ...PATIENT,
    LOG_LEVEL: 'info',
    WORKERS: '2',
    ADMIN_LISTEN: '127.0.0.1:0',
    ADMIN_TOKEN,
    ...env,
  });
  const adminPort = Number(/"port":(\d+),"msg":"Listening for operators/.exec(server.output())![1]);
  const metrics = async () => {
    const response = await fetch(`http://127.0.0.1:${adminPort}/metrics`, {
      headers: { Authorization: `Bearer ${ADMIN_TOKEN}` },
    });
    expect(response.status).toBe(200);
    return response.text();
  };
  return {
    ...server,
    adminPort,
    metrics,
    series: async () => parseSeries(await metrics()),
    workers() {
      const { stdout } = spawnSync('ps', ['-A', '-ww', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' });
      return [...stdout.matchAll(/^ *(\d+) +(\d+) .*dist\/worker\.cjs/gm)]
        .filter(([, , parent]) => Number(parent) === server.child.pid)
        .map(([, pid]) => Number(pid));
    },
  };
}

function parseSeries(text: string): Map<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  );
}
