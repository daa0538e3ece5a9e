import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Caps, DEFAULT_PLANS, type DeployLimits } from '@berth/contract';
import { startTestServer, type TestServer } from './test-server.ts';

/** Changes to the built-in plan with each name. */
export type PlanChanges = Record<string, { limits?: Partial<DeployLimits>; caps?: Partial<Caps>; closed?: string }>;

/** A test server with its own plan table, read from a `PLANS_FILE`. */
export async function startWithPlans(changes: PlanChanges, env: Record<string, string> = {}): Promise<TestServer> {
  const plans = DEFAULT_PLANS.map((plan) => {
    const { limits, caps, ...rest } = changes[plan.plan] ?? {};
    return { ...plan, ...rest, limits: { ...plan.limits, ...limits }, caps: plan.caps && { ...plan.caps, ...caps } };
  });
  const folder = await mkdtemp(join(tmpdir(), 'berth-plans-'));
  const file = join(folder, 'plans.json');
  await writeFile(file, JSON.stringify({ plans }));
  try {
    return await startTestServer({ ...env, PLANS_FILE: file });
  } finally {
    await rm(folder, { recursive: true });
  }
}
