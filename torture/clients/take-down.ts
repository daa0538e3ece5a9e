import { definite } from './exchange.ts';
import { pick } from './oracle.ts';
import type { World } from '../world/world.ts';

/** Puts back what was taken down before, and takes down another site, as the operator. No client may change anything meanwhile. */
export async function takeDownOne({ direct, nodes, violations, random }: World): Promise<void> {
  const sites = direct.clients.flatMap(({ sites, shown }) =>
    sites.filter((site) => site !== shown && site.expires === null && site.state !== 'deleted'),
  );
  const down = sites.find(({ state }) => state === 'taken-down');
  const site = down ?? pick(random, sites);
  if (!site || random() < 0.5) return;
  const { code, output } = await pick(random, nodes)!.service.operate([
    'sites',
    down ? 'put-back' : 'take-down',
    site.id,
  ]);
  if (!violations.require(code === 0, 'gone', () => `take-down of ${site.id}: ${output.slice(0, 300)}`)) return;
  site.state = down ? 'live' : 'taken-down';
  site.changedAt = performance.now();
  await definite(direct.wire, 'ping', () => ({ host: 'localhost', path: '/ping', key: direct.clients[0]!.key }), [200]);
}
