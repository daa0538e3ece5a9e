import { hash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { ifAllowed, lowerProcessPriority } from '../low-priority.ts';
import type { CompressorResult, CompressorMessage, UncompressedContent } from './compressor.ts';
import { compressContent } from './forms.ts';

// Compresses contents in a process of low priority, so that it does not slow down the server.

function compress({ bytes, sha256 }: UncompressedContent): CompressorResult {
  return hash('sha256', bytes) === sha256 ? { kind: 'forms', forms: compressContent(bytes) } : { kind: 'damaged' };
}

const send = (message: CompressorMessage) => process.send!(message);

lowerProcessPriority();
// Let the kernel kill this process first when memory runs out.
ifAllowed(() => writeFileSync('/proc/self/oom_score_adj', '1000'));
// Ctrl+C in a terminal also reaches this process, but only the server may stop it, by SIGKILL or by closing the IPC channel.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
process.on('message', (content: UncompressedContent) => void send(compress(content)));
send({ kind: 'ready' });
