// Entry point of a worker process. Signals that reach the whole process group, as Ctrl-C does, are handled by the first process.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => {});
const { runWorker } = await import('./run-worker.ts');
runWorker();
