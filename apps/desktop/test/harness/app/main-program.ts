import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Measured, Question, Said, ServedPage } from './main-child.ts';
import { boundMemory } from '../../../src/main/memory.ts';
import { type MainOptions, startMain } from './main-process.ts';

// Runs the main process of the app as a separate program, and answers the requests of its parent as it answers its window.
boundMemory();
const say = (said: Said) => void process.send!(said);
const stalls = monitorEventLoopDelay({ resolution: 5 });

const main = await startMain(JSON.parse(process.argv[2]!) as MainOptions);
const { address, size, preloadInSubframes } = main;
main.onSend((channel, args) => say({ is: 'sent', channel, args }));
process.on('message', (question: Question & { id: number }) => {
  void answer(question).then((value) => say({ is: 'answer', id: question.id, value }));
});
process.on('disconnect', () => process.exit(1));
stalls.enable();
say({ is: 'up', address, size, preloadInSubframes });

async function answer(question: Question): Promise<unknown> {
  switch (question.ask) {
    case 'serve':
      return served(await main.serve(...question.args));
    case 'invoke':
      return main.invoke(...question.args);
    case 'measure':
      return measured();
    case 'quit':
      await main.quit();
      return process.exit(0);
    default:
      return question satisfies never;
  }
}

async function served(response: Response | null): Promise<ServedPage> {
  if (response === null) return { status: 403, headers: [], body: new ArrayBuffer(0) };
  return { status: response.status, headers: [...response.headers], body: await response.arrayBuffer() };
}

function measured(): Measured {
  const longestStallMs = stalls.max / 1e6;
  stalls.reset();
  return { maxRss: peakMemory(), longestStallMs };
}

/** Peak memory in bytes. Linux reports `VmHWM` for this program only; `getrusage` would include the parent's memory before the start. */
function peakMemory(): number {
  const [, kibibytes] = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return Number(kibibytes) * 1_024;
}
