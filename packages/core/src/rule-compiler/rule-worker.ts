import { parentPort } from 'node:worker_threads';
import { lowerThreadPriority } from '../low-priority.ts';
import { compileRuleFiles } from './compile-rule-files.ts';
import type { CompileJob } from './rule-compiler.ts';

lowerThreadPriority();
const port = parentPort!;
port.on('message', ({ files, paths }: CompileJob) => port.postMessage(compileRuleFiles(files, paths)));
