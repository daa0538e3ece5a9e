import { describe, expect, it } from 'vitest';
import { expectErrorAnswer, expectRefusal } from '../standing-asserts.ts';
import type { Answer } from '../test-server.ts';
import { useCleanServer } from '../use-clean-server.ts';

const CAP = 5;
const HOME = { 'index.html': 'home' };

const server = useCleanServer({ plans: { free: { caps: { deployments: CAP } }, pro: { caps: { deployments: 0 } } } });

const used = async (key: string) =>
  (await server().api('/account', { key })).json<{ usage: { deployments: number } }>().usage.deployments;
const FULL = { cap: 'deployments', used: CAP, limit: CAP };

async function expectCap(ask: () => Promise<Answer>, details: object = FULL): Promise<void> {
  expect((await expectRefusal(server(), 'forbidden', ask)).details).toEqual(details);
}

describe('T26: a reached cap', () => {
  it('is 403 with its details, with and without an Idempotency-Key, for every credential of the account', async () => {
    const { key, deployToken } = await server().account();
    for (let i = 0; i < CAP; i += 1) await server().publish({ 'index.html': `${i}` }, { key });
    for (const credential of [key, deployToken]) {
      await expectCap(() => server().deploy(HOME, { key: credential }));
      await expectCap(() => server().deploy(HOME, { key: credential, headers: { 'Idempotency-Key': 'k' } }));
      await expectCap(() => server().deploy({ new: 'bytes that are not stored yet' }, { key: credential }));
    }
    expect(await used(key)).toBe(CAP);
  });

  it('may be a cap of zero', async () => {
    const { key } = await server().account('pro');
    await expectCap(() => server().deploy(HOME, { key }), { cap: 'deployments', used: 0, limit: 0 });
  });

  it('does not affect another account, anonymous deploys, or a plan without caps', async () => {
    await server().publish(HOME, { key: (await server().account()).key });
    for (let i = 0; i <= CAP; i += 1) {
      await server().publish(HOME, { key: null });
      await server().publish(HOME);
    }
  });

  it('does not count a deployment that is being deleted', async () => {
    const { key } = await server().account();
    const ids = [];
    for (let i = 0; i < CAP; i += 1) ids.push((await server().publish({ 'index.html': `${i}` }, { key })).deployment);
    await expectCap(() => server().deploy(HOME, { key }));
    for (let twice = 0; twice < 2; twice += 1)
      expect((await server().api(`/deployments/${ids[0]}`, { method: 'DELETE', key })).status).toBe(202);
    expect(await used(key)).toBe(CAP - 1);
    await server().publish(HOME, { key });
    await expectCap(() => server().deploy(HOME, { key }));
  });
});

describe('T26: caps under concurrency', () => {
  it('allow exactly as many of 100 parallel deploys as the cap; the others are 403', async () => {
    const { key, deployToken } = await server().account();
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        server().deploy(
          { 'index.html': `${i % 7}`, 'own.txt': `${i}` },
          { key: i % 3 === 0 ? deployToken : key, headers: i % 2 === 0 ? { 'Idempotency-Key': `${i}` } : {} },
        ),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(CAP);
    for (const answer of answers)
      if (answer.status !== 201) expect(expectErrorAnswer(answer, 'forbidden').details).toEqual(FULL);
    expect(await used(key)).toBe(CAP);
    expect((await server().api('/deployments', { key })).json<{ deployments: unknown[] }>().deployments).toHaveLength(
      CAP,
    );
    for (const answer of answers)
      if (answer.status === 201) expect((await server().visit(answer.json<{ url: string }>().url)).status).toBe(200);
  });

  it('are never exceeded by parallel deploys and deletions, and the counter stays correct', async () => {
    const { key } = await server().account();
    const deleted = new Set<string>();
    const work = Array.from({ length: 8 }, async (_, worker) => {
      for (let i = 0; i < 6; i += 1) {
        const answer = await server().deploy({ 'index.html': `${worker} ${i}` }, { key });
        if (answer.status === 403) continue;
        expect(answer.status).toBe(201);
        const { deployment } = answer.json<{ deployment: string }>();
        if (i % 2 === 0) continue;
        const answers = await Promise.all(
          [1, 2, 3].map(() => server().api(`/deployments/${deployment}`, { method: 'DELETE', key })),
        );
        expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
        deleted.add(deployment);
      }
    });
    await Promise.all(work);
    const { deployments } = (await server().api('/deployments?limit=100', { key })).json<{
      deployments: { deployment: string; status: string }[];
    }>();
    const live = deployments.filter(({ status }) => status === 'success');
    expect(live.length).toBeLessThanOrEqual(CAP);
    expect(await used(key)).toBe(live.length);
    expect(live.filter(({ deployment }) => deleted.has(deployment))).toEqual([]);
    const events = (await server().api('/activities?limit=100', { key })).json<{ activities: { event: string }[] }>()
      .activities;
    expect(events.filter(({ event }) => event === 'deployment.delete')).toHaveLength(deleted.size);
    let held = 0;
    for (const { event } of events.toReversed()) {
      held += { 'deployment.create': 1, 'deployment.delete': -1 }[event] ?? 0;
      expect(held).toBeLessThanOrEqual(CAP);
    }
  });
});
