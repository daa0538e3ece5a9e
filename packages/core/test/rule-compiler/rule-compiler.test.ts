import { readdirSync } from 'node:fs';
import { constants, getPriority } from 'node:os';
import { performance } from 'node:perf_hooks';
import { setImmediate as nextRound } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { compileRuleFiles } from '../../src/rule-compiler/compile-rule-files.ts';
import { createRuleCompiler } from '../../src/rule-compiler/rule-compiler.ts';

const compiler = createRuleCompiler();
afterAll(() => compiler.close());

const PATHS = ['index.html', 'page.html'];
const lines = (count: number, line: (n: number) => string) =>
  new TextEncoder().encode(Array.from({ length: count }, (_, n) => line(n)).join('\n'));
const LARGE = lines(5_000, (n) => `/old-${n} /page 301`);

/** Returns the priority of a thread; `null` if it has ended. */
function priorityOf(thread: string): number | null {
  try {
    return getPriority(Number(thread));
  } catch {
    return null;
  }
}

describe('the rule compiler', () => {
  it.each([
    ['small rule files', { _redirects: lines(3, (n) => `/old-${n} /page 301`) }],
    ['large rule files', { _redirects: LARGE, _headers: lines(400, (n) => `/p${n}\n  X-A: ${n}`) }],
    ['1 MiB of faults', { _redirects: lines(200_000, () => 'fault') }],
    ['a ship.json that is refused', { 'ship.json': new TextEncoder().encode(`${' '.repeat(20_000)}[`) }],
    [
      'a role condition at the end',
      { _redirects: lines(5_000, (n) => `/a${n} /b ${n === 4_999 ? '200! Role=a' : ''}`) },
    ],
  ])('returns the same for %s on the thread and without it', async (_, files) => {
    const result = await compiler.compile(files, PATHS);
    expect(result).toEqual(compileRuleFiles(files, PATHS));
  });

  it('lets other work run while large rule files are compiled', async () => {
    let isDone = false;
    const compiling = compiler
      .compile({ _redirects: lines(150_000, () => 'fault') }, PATHS)
      .finally(() => (isDone = true));
    let rounds = 0;
    for (; !isDone; rounds += 1) await nextRound();
    await compiling;
    expect(rounds).toBeGreaterThan(20);
  });

  it.runIf(process.platform === 'linux')('runs its thread at a lower priority than the other threads', async () => {
    await compiler.compile({ _redirects: LARGE }, PATHS);
    const priorities = readdirSync('/proc/self/task').map(priorityOf);
    expect(priorities).toContain(constants.priority.PRIORITY_BELOW_NORMAL);
    expect(priorityOf(String(process.pid))).toBeLessThan(constants.priority.PRIORITY_BELOW_NORMAL);
  });

  it('starts no thread for a deploy without rule files, however many files it has', async () => {
    const broken = createRuleCompiler({ program: new URL('data:text/javascript,process.exit(1)') });
    const paths = Array.from({ length: 10_000 }, (_, n) => `${n}.html`);
    expect(await broken.compile({}, paths)).toMatchObject({ kind: 'compiled', warningCount: 0 });
    await broken.close();
  });

  it('compiles the files of several deploys one after the other', async () => {
    const results = await Promise.all(PATHS.map((path) => compiler.compile({ _redirects: LARGE }, [path])));
    expect(results).toEqual(PATHS.map((path) => compileRuleFiles({ _redirects: LARGE }, [path])));
  });

  it.each([
    ['hangs', 'for (;;);'],
    ['ends', 'process.exit(1)'],
    ['fails', 'throw new Error("failed")'],
    ['needs too much memory', 'const all = []; for (;;) all.push(new Array(100_000).fill(all));'],
  ])('is unavailable if the thread %s, for this deploy and for the next one', async (_, program) => {
    const broken = createRuleCompiler({
      maxMs: 500,
      program: new URL(`data:text/javascript,${encodeURIComponent(program)}`),
    });
    const startedMs = performance.now();
    for (let n = 0; n < 2; n += 1)
      await expect(broken.compile({ _redirects: LARGE }, PATHS)).rejects.toMatchObject({ code: 'unavailable' });
    expect(performance.now() - startedMs).toBeLessThan(20_000);
    await broken.close();
  });

  it('starts the thread again after it was idle, and is unavailable once it is closed', async () => {
    const idle = createRuleCompiler({ idleMs: 0 });
    for (let n = 0; n < 2; n += 1) {
      expect(await idle.compile({ _redirects: LARGE }, PATHS)).toMatchObject({ kind: 'compiled' });
      await nextRound();
    }
    const refused = expect(idle.compile({ _redirects: LARGE }, PATHS)).rejects.toMatchObject({ code: 'unavailable' });
    await idle.close();
    await refused;
  });
});
