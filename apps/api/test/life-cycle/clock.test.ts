import { startProcess } from '@berth/testing/process';
import { testEnvironment } from '@berth/testing/server';
import { useServer } from '@berth/testing/use-server';
import { expect, it } from 'vitest';

const HOUR_MS = 3_600_000;
/** A module that moves the clock of a process. */
const clockAhead = (ms: number) =>
  `data:text/javascript,${encodeURIComponent(`
  const Real = Date;
  globalThis.Date = class extends Real {
    constructor(...parts) { parts.length > 0 ? super(...parts) : super(Real.now() + ${ms}); }
    static now() { return Real.now() + ${ms}; }
  };`)}`;

const server = useServer();

it('storage §11: a server whose clock is two hours ahead neither hides nor removes what expires in an hour, and reports its clock', async () => {
  const { deployment } = await server().publish({ 'index.html': 'for an hour' }, { fields: { ttl: '3600' } });
  const fast = await startProcess({
    ...testEnvironment(server().database, server().dataDir),
    NODE_OPTIONS: `--import=${clockAhead(2 * HOUR_MS)}`,
    LOG_FORMAT: 'json',
  });
  try {
    expect((await fast.visit(deployment)).status).toBe(200);
    await fast.printed('The clock of this machine differs');
    const hasJobs = `select 1 from lease where name = 'jobs' and until > now()`;
    await expect.poll(() => server().database.query(hasJobs)).toHaveLength(1);
    // At a stop, a server finishes the jobs that run.
    fast.child.kill('SIGTERM');
    await fast.exited;
    expect(await server().database.query('select status from deployment where id = $1', [deployment])).toEqual([
      { status: 'success' },
    ]);
  } finally {
    fast.child.kill('SIGKILL');
  }
});
