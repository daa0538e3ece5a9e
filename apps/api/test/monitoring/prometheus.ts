import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { freePorts } from '@berth/testing/free-ports';
import { expect } from 'vitest';

export const MONITORING = join(import.meta.dirname, '../../../../deploy/monitoring');
export const RULES = join(MONITORING, 'alerts.yml');

/** Prometheus and promtool are installed. In CI they must be. */
export const canMonitor =
  process.env['CI'] !== undefined ||
  ['prometheus', 'promtool'].every((program) => spawnSync(program, ['--version']).error === undefined);

/** Runs promtool. @returns Its exit code and output. */
export function promtool(args: readonly string[], input = ''): { code: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync('promtool', args, { input, cwd: MONITORING, encoding: 'utf8' });
  return { code: status, output: stdout + stderr };
}

interface Sample {
  metric: Record<string, string>;
  /** `NaN` if the expression has no meaningful value, such as the share of nothing. */
  value: number;
}

/** A rule as Prometheus has parsed it. */
export interface Rule {
  type: 'alerting' | 'recording';
  name: string;
  query: string;
  /** How long the condition of an alert must hold, in seconds. */
  duration?: number;
}

export interface Prometheus {
  query(expression: string): Promise<Sample[]>;
  rules(): Promise<Rule[]>;
  stop(): Promise<void>;
}

interface Target {
  port: number;
  token: string;
}

/**
 * Starts Prometheus with the configuration of `deploy/monitoring`, but with short intervals, its own address of Berth, and one
 * more target where nothing listens.
 *
 * @param folder For its configuration and data.
 */
export async function startPrometheus(folder: string, berth: Target): Promise<Prometheus> {
  const [port = 0, deadPort = 0] = await freePorts(2);
  const tokenFile = join(folder, 'admin-token');
  const file = join(folder, 'prometheus.yml');
  await writeFile(tokenFile, berth.token, { mode: 0o600 });
  await writeFile(
    file,
    replaceAll(await readFile(join(MONITORING, 'prometheus.yml'), 'utf8'), {
      'scrape_interval: 15s': 'scrape_interval: 2s',
      'evaluation_interval: 15s': 'evaluation_interval: 1s',
      '- alerts.yml': `- ${RULES}`,
      'credentials_file: admin-token': `credentials_file: ${tokenFile}`,
      "'127.0.0.1:4001'": `'127.0.0.1:${berth.port}', '127.0.0.1:${deadPort}'`,
    }),
  );
  expect(promtool(['check', 'config', file])).toMatchObject({ code: 0 });
  const child = spawn(
    'prometheus',
    [`--config.file=${file}`, `--storage.tsdb.path=${join(folder, 'data')}`, `--web.listen-address=127.0.0.1:${port}`],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const read = async <T>(path: string): Promise<T> => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`);
    const { status, data, error } = (await response.json()) as { status: string; data: T; error?: string };
    if (status !== 'success') throw new Error(`${path}: ${error}`);
    return data;
  };
  await printed(child.stderr, 'Server is ready to receive web requests');
  return {
    async query(expression) {
      const { resultType, result } = await read<{
        resultType: string;
        result: { metric: Record<string, string>; value: [number, string] }[];
      }>(`query?query=${encodeURIComponent(expression)}`);
      expect(resultType).toBe('vector');
      return result.map(({ metric, value: [, value] }) => ({ metric, value: Number(value) }));
    },
    rules: async () => (await read<{ groups: { rules: Rule[] }[] }>('rules')).groups.flatMap(({ rules }) => rules),
    async stop() {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Waits until a program has printed a text. @throws with its output if it ends before. */
async function printed(stream: Readable, text: string): Promise<void> {
  let output = '';
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    output += String(chunk);
    if (output.includes(text)) return void stream.resume();
  }
  throw new Error(output);
}

/** Replaces texts, each of which must be there. */
function replaceAll(text: string, replacements: Record<string, string>): string {
  return Object.entries(replacements).reduce((changed, [from, to]) => {
    expect(changed).toContain(from);
    return changed.replace(from, () => to);
  }, text);
}
