import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { formOf } from '@berth/testing/requests';
import { definite } from '../clients/exchange.ts';
import type { World } from '../world/world.ts';
import type { Disturbance } from './disturbance.ts';

const RECOVERY_SECONDS = 60;
/** Deployments that an account on the free plan may have. */
const CAP = 100;
const TIMEOUT_MS = 120_000;

/** Sends many deploys at the same moment to an account whose plan allows fewer. */
const floodUploads: Disturbance = {
  kind: 'flood-uploads',
  weight: 1,
  recoverySeconds: RECOVERY_SECONDS,
  async run(world) {
    const { settings, small, violations, direct } = world;
    const { http } = direct.wire;
    const statuses = new Map<number | string, number>();
    const published: string[] = [];
    const deploy = async (n: number) => {
      const page = `<h1>flood ${n % 50}</h1>`;
      const { contentType, body } = formOf({ 'index.html': page, 'n.txt': `${n}` }, { labels: '["flood"]' });
      const headers = { 'Content-Type': contentType };
      const request = { host: 'localhost', key: small.key, method: 'POST', path: '/deployments', headers, body };
      const response = await http({ ...request, timeoutMs: TIMEOUT_MS }).catch(() => null);
      const status = response?.status ?? 'lost';
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (response?.status === 201) published.push(response.json<{ deployment: string }>().deployment);
      else if (response && ![403, 503, 429].includes(response.status))
        violations.add('answers', `a deploy of a flood: ${response.status} ${response.text().slice(0, 200)}`);
    };
    await Promise.all(Array.from({ length: settings.uploads }, (_, n) => deploy(n)));
    const since = performance.now();
    const [row] = await world.records.query<{ count: number }>(
      `select count(*)::int as count from deployment where account_id = $1 and status = 'success'`,
      [small.account],
    );
    violations.require(row!.count <= CAP, 'caps', () => `${row!.count} deployments, and the cap is ${CAP}`);
    violations.require(
      published.length <= row!.count,
      'acknowledged-bytes',
      () => `${published.length} deploys of a flood were acknowledged, and ${row!.count} exist`,
    );
    await removeAll(world, published);
    const counts = [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ');
    return { detail: counts, since };
  },
};

async function removeAll({ small, direct }: World, ids: readonly string[]): Promise<void> {
  const remove = (id: string) => () => ({
    host: 'localhost',
    key: small.key,
    method: 'DELETE',
    path: `/deployments/${id}`,
  });
  for (const id of ids) await definite(direct.wire, `delete ${id}`, remove(id), [202, 404]).catch(() => null);
}

/** Opens many connections that send a byte from time to time, from many addresses. */
const floodSockets: Disturbance = {
  kind: 'flood-slow-sockets',
  weight: 1,
  recoverySeconds: RECOVERY_SECONDS,
  async run({ settings }, { service }) {
    const program = join(import.meta.dirname, 'slow-sockets.ts');
    const child = fork(program, [String(service.port), String(settings.sockets)], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const ended = once(child, 'exit');
    const [{ opened }] = (await Promise.race([once(child, 'message'), ended.then(() => [{ opened: 0 }])])) as [
      { opened: number },
    ];
    await sleep(4_000);
    child.kill('SIGKILL');
    await ended;
    return { detail: `${opened} open at once`, since: performance.now() };
  },
};

export const FLOODS = [floodUploads, floodSockets];
