import { once } from 'node:events';
import { fake } from './electron.ts';

const isThere = once(fake.app, 'web-contents-created');
const ended = fake.app.ended;
process.argv.splice(2);
await import('../../../src/main/index.ts');
await Promise.race([isThere, ended]);

const state = await fake.invoke('berth:readState');
const listening = process.getActiveResourcesInfo().filter((name) => name.includes('Server'));
fake.app.quit();
const exitCode = await ended;
const calls = fake.recorder.names();
process.stdout.write(
  JSON.stringify({
    calls,
    sandboxBeforeReady: calls.indexOf('app.enableSandbox') < calls.indexOf('ready'),
    state,
    listening,
    exitCode,
  }),
);
