// A worker process starts here. It ignores Ctrl-C, which reaches all processes; the first process stops the workers.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => {});
void import('./run-worker.ts').then(({ runWorker }) => runWorker());
