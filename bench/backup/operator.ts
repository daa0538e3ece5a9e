import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OWN_TREE } from '../processes.ts';

const SAMPLE_MS = 20;

/** Runs a command of the operator. @returns Its duration, the peak of its resident memory, and its output. @throws if it fails. */
export async function operate(env: Record<string, string>, ...words: string[]) {
  const start = performance.now();
  const child = spawn(process.execPath, [join(OWN_TREE, 'apps/api/src/operator/main.ts'), ...words], {
    env: { ...process.env, NODE_COMPILE_CACHE: join(OWN_TREE, 'node_modules/.cache/node'), ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  let peakBytes = 0;
  const sampling = setInterval(async () => {
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '');
    peakBytes = Math.max(peakBytes, 1024 * Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0));
  }, SAMPLE_MS);
  const [code] = (await once(child, 'close')) as [number | null];
  clearInterval(sampling);
  if (code !== 0) throw new Error(`berth ${words.join(' ')} exited with ${code}: ${output}`);
  return { ms: performance.now() - start, peakBytes, output };
}
