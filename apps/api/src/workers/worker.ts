// One of several processes that serve. What stops all of them at once, such as Ctrl-C, is for the first process to act on.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => {});
const { obeyFirstProcess } = await import('./obey.ts');
obeyFirstProcess();
