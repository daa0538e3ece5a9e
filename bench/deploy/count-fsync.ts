import { open } from 'node:fs/promises';

/** A server preloads this file, which counts the calls that make bytes durable, and reports the count on request. */
const handle = await open(import.meta.filename, 'r');
const prototype = Object.getPrototypeOf(handle) as { sync(): Promise<void>; datasync(): Promise<void> };
await handle.close();

let calls = 0;
for (const name of ['sync', 'datasync'] as const) {
  const originalMethod = prototype[name];
  prototype[name] = function (this: unknown) {
    calls += 1;
    return originalMethod.call(this);
  };
}
process.on('message', (question) => {
  if (question === 'fsyncs') process.send!({ fsyncs: calls });
});
