import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { LineOutput } from '../../src/logging/line-output.ts';

const FLOOD = join(import.meta.dirname, 'line-flood.ts');

function startFlood(mode: 'exit' | 'crash' | 'wait', count: number) {
  const child = fork(FLOOD, [mode, String(count)], { execArgv: [], stdio: ['ignore', 'pipe', 'ignore', 'ipc'] });
  return { child, stdout: child.stdout!, exited: once(child, 'exit') };
}

const entriesOf = (output: string) =>
  output
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as { path?: string; msg: string; lines?: number });

describe('standard output', () => {
  it.each([
    ['exits', 'exit', 3],
    ['crashes', 'crash', 1],
  ] as const)('gets every line of a process that %s', async (_, mode, exitCode) => {
    const { stdout, exited } = startFlood(mode, 5_000);
    const entries = entriesOf(await text(stdout));
    expect(entries.map(({ path }) => path)).toEqual(Array.from({ length: 5_000 }, (_, number) => `/${number}`));
    expect(await exited).toEqual([exitCode, null]);
  });

  it('T38: loses whole lines and counts them when it is read too slowly, and memory stays bounded', async () => {
    const count = 200_000;
    const { child, stdout, exited } = startFlood('wait', count);
    const logged = once(child, 'message');
    // Not reading makes the pipe fill up.
    await logged;
    let isAsked = false;
    const output = text(
      (async function* () {
        for await (const part of stdout) {
          yield part as Buffer;
          if (!isAsked && String(part).includes('Log lines were dropped')) {
            isAsked = true;
            child.send('end');
          }
        }
      })(),
    );
    const entries = entriesOf(await output);
    expect(await exited).toEqual([0, null]);
    const requests = entries.filter(({ msg }) => msg === 'request');
    const dropped = entries.reduce((sum, { lines = 0 }) => sum + lines, 0);
    expect(dropped).toBeGreaterThan(0);
    expect(requests.length + dropped).toBe(count);
    expect(entries.at(-1)!.msg).toBe('last');
  });
});

describe('LineOutput', () => {
  function collect(isShared: boolean) {
    const chunks: string[] = [];
    const stream = { write: (chunk: string) => void chunks.push(chunk) };
    return { chunks, output: new LineOutput(stream, { isShared, onDropped() {} }) };
  }

  it('gathers lines, and writes them before a line that is not gathered', async () => {
    const { chunks, output } = collect(false);
    output.gather('a\n');
    output.gather('b\n');
    expect(chunks).toEqual([]);
    output.write('c\n');
    expect(chunks).toEqual(['a\nb\nc\n']);
    output.gather('d\n');
    await output.flush();
    expect(chunks).toEqual(['a\nb\nc\n', 'd\n']);
  });

  it('writes gathered lines after a while without further lines', async () => {
    const { chunks, output } = collect(false);
    output.gather('a\n');
    await expect.poll(() => chunks).toEqual(['a\n']);
  });

  it.each([
    ['64 KiB', false, 65_536],
    ['4 KiB, which a shared pipe does not tear', true, 4_096],
  ])('writes whole lines in pieces of at most %s', (_, isShared, maxBytes) => {
    const { chunks, output } = collect(isShared);
    const lines = Array.from({ length: 1_000 }, (_, number) => `${String(number).repeat(100)}é\n`);
    for (const line of lines) output.gather(line);
    output.write('end\n');
    expect(chunks.join('')).toBe(`${lines.join('')}end\n`);
    expect(chunks.length).toBeGreaterThan(3);
    for (const chunk of chunks) {
      expect(Buffer.byteLength(chunk)).toBeLessThanOrEqual(maxBytes);
      expect(chunk.endsWith('\n')).toBe(true);
    }
  });
});
