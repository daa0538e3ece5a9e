import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { boundMemory } from '../../../src/main/memory.ts';
import { type MainOptions, startMain } from './main-process.ts';

// This program runs the main process of the app and executes the method calls of its parent process.
boundMemory();

export interface Measurements {
  /** Peak memory since the process started, in bytes. */
  maxRss: number;
  /** The longest time that the event loop was blocked since the last measurement, in milliseconds. */
  longestStallMs: number;
}

export type Methods = typeof methods;

/** A request of the parent process to call a method. */
export interface MethodCall {
  id: number;
  method: keyof Methods;
  args: unknown[];
}

/** A message to the parent process: the app has started, a method has returned, or the app has sent a message to the page. */
export type ProgramMessage =
  | { kind: 'started'; address: string; size: { width: number; height: number } }
  | { kind: 'answer'; id: number; value: unknown }
  | { kind: 'page-message'; channel: string; data: unknown };

const sendToParent = (message: ProgramMessage) => void process.send!(message);
const stalls = monitorEventLoopDelay({ resolution: 5 });
const main = await startMain(JSON.parse(process.argv[2]!) as MainOptions);
const methods = {
  async serve(address: string, requestHeaders: Record<string, string>) {
    const response = await main.serve(address, requestHeaders);
    const { status, headers } = response;
    return { status, headers: [...headers] as [string, string][], body: await response.arrayBuffer() };
  },
  invoke: (channel: string, input: unknown) => main.invoke(channel, input),
  async measure(): Promise<Measurements> {
    const longestStallMs = stalls.max / 1e6;
    stalls.reset();
    return { maxRss: peakMemory(), longestStallMs };
  },
  async quit() {
    await main.quit();
    process.exit(0);
  },
};
main.onSend((channel, data) => sendToParent({ kind: 'page-message', channel, data }));
process.on('message', ({ id, method, args }: MethodCall) => {
  const answer = methods[method] as (...args: unknown[]) => Promise<unknown>;
  void answer(...args).then((value) => sendToParent({ kind: 'answer', id, value }));
});
process.on('disconnect', () => process.exit(1));
stalls.enable();
const { address, size } = main;
sendToParent({ kind: 'started', address, size });

/** Returns the peak memory in bytes from `VmHWM`, because `getrusage` would include the memory of the parent process. */
function peakMemory(): number {
  const [, kibibytes] = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return Number(kibibytes) * 1_024;
}
