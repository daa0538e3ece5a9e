import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { boundMemory } from '../../../src/main/memory.ts';
import { type MainOptions, startMain } from './main-process.ts';

// Runs the main process of the app as a separate program, and answers the requests of its parent as it answers its window.
boundMemory();

/** Measurements of the process. */
export interface Measured {
  /** Peak memory since the process started, in bytes. */
  maxRss: number;
  /** The longest time that the event loop was blocked since the last measurement, in milliseconds. */
  longestStallMs: number;
}

export type Methods = typeof methods;

/** A request to the process. */
export interface Question {
  id: number;
  method: keyof Methods;
  args: unknown[];
}

/** A message from the process: that it is up, the answer to a request, or a message for the page. */
export type Said =
  | { is: 'up'; address: string; size: { width: number; height: number } }
  | { is: 'answer'; id: number; value: unknown }
  | { is: 'sent'; channel: string; data: unknown };

const say = (said: Said) => void process.send!(said);
const stalls = monitorEventLoopDelay({ resolution: 5 });
const main = await startMain(JSON.parse(process.argv[2]!) as MainOptions);
const methods = {
  async serve(address: string, requestHeaders: Record<string, string>) {
    const response = await main.serve(address, requestHeaders);
    const { status, headers } = response;
    return { status, headers: [...headers] as [string, string][], body: await response.arrayBuffer() };
  },
  invoke: (channel: string, input: unknown) => main.invoke(channel, input),
  async measure(): Promise<Measured> {
    const longestStallMs = stalls.max / 1e6;
    stalls.reset();
    return { maxRss: peakMemory(), longestStallMs };
  },
  async quit() {
    await main.quit();
    process.exit(0);
  },
};
main.onSend((channel, data) => say({ is: 'sent', channel, data }));
process.on('message', ({ id, method, args }: Question) => {
  const answer = methods[method] as (...args: unknown[]) => Promise<unknown>;
  void answer(...args).then((value) => say({ is: 'answer', id, value }));
});
process.on('disconnect', () => process.exit(1));
stalls.enable();
const { address, size } = main;
say({ is: 'up', address, size });

/** Peak memory in bytes. Linux reports `VmHWM` for this program only; `getrusage` would include the parent's memory before the start. */
function peakMemory(): number {
  const [, kibibytes] = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return Number(kibibytes) * 1_024;
}
