/** Deploys a folder, and kills itself at an event. */
import { createClient } from '../../src/client.ts';
import { deployFolder } from '../../src/deploy/deploy.ts';

const [server = '', key = '', folder = '', cacheDir = '', domain = '', delta = '', killedAt = ''] =
  process.argv.slice(2);
const input = { folder, client: createClient({ server, key }), domain: domain === '' ? undefined : domain };
for await (const { type } of deployFolder(input, { cacheDir, delta: delta === 'delta' }))
  if (type === killedAt) process.kill(process.pid, 'SIGKILL');
