// Writes many lines faster than the test reads them, then exits or waits for a signal.
import { createLogger } from '../../src/logging/logger.ts';

const [mode, count] = process.argv.slice(2);
const log = createLogger({ level: 'info' });
const entry = {
  requestId: '8f1c6bd0a94e2735cc58f0471e9b3d62',
  kind: 'site',
  method: 'GET',
  host: 'blog.localhost',
  status: 200,
  bytes: 1,
  durationMs: 1,
  address: '127.0.0.1',
};
for (let number = 0; number < Number(count); number += 1) log.request({ ...entry, path: `/${number}` });
if (mode === 'exit') process.exit(3);
if (mode === 'crash') throw new Error('crash');
process.send!('logged');
process.once('message', () => {
  log.info({}, 'last');
  void log.flush().then(() => process.exit(0));
});
