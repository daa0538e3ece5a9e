import { hash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import type { CompressorAnswer, CompressorMessage, GivenContent } from './compressor.ts';
import { makeForms } from './forms.ts';

// The process that compresses contents, beside the one that serves them and after everything else the machine has to do.

/** Not every system lets a process step back. */
function ifAllowed(step: () => void): void {
  try {
    step();
  } catch {}
}

function answerTo({ bytes, sha256 }: GivenContent): CompressorAnswer {
  return hash('sha256', bytes) === sha256 ? { kind: 'forms', forms: makeForms(bytes) } : { kind: 'damaged' };
}

const tell = (message: CompressorMessage) => process.send!(message);

ifAllowed(() => setPriority(constants.priority.PRIORITY_LOW));
// When memory runs out this process is the one to go.
ifAllowed(() => writeFileSync('/proc/self/oom_score_adj', '1000'));
// Signals for the server reach its whole group. The server ends this process, or leaves and thereby does.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
process.on('message', (content: GivenContent) => void tell(answerTo(content)));
tell({ kind: 'ready' });
