import { parentPort } from 'node:worker_threads';
import { compileRuleFiles } from './compile-rule-files.ts';
import type { CompileJob } from './rule-compiler.ts';

const port = parentPort!;
port.on('message', ({ files, paths }: CompileJob) => port.postMessage(compileRuleFiles(files, paths)));
