// Publishes a folder with the typed client and prints its link.
//
//   BERTH_SERVER=http://localhost:4000 BERTH_KEY=ship-… node publish.ts ./dist
import { stderr, stdout } from 'node:process';
import { ClientError, createClient, deployFolder } from '@berth/client';

const server = process.env['BERTH_SERVER'] || 'http://localhost:4000';
const key = process.env['BERTH_KEY'] || null;
const folder = process.argv[2];
if (folder === undefined) throw new Error('usage: publish.ts <folder>');

const client = createClient({ server, key });

try {
  // Each event is typed: its `type` determines its fields.
  for await (const event of deployFolder(
    { folder, client, via: 'example' },
    { signal: AbortSignal.timeout(300_000) },
  )) {
    if (event.type === 'planned') stderr.write(`${event.missing.bytes} bytes to send\n`);
    if (event.type === 'committed') stdout.write(`${event.deployment.url}\n`);
  }

  // Calls are typed by the routers of the server: a wrong name or a missing field does not compile.
  if (key?.startsWith('ship-')) {
    const { usage } = await client.api.account.get.query();
    stderr.write(`The account has ${usage.deployments} deployments.\n`);
  }
} catch (error) {
  if (!(error instanceof ClientError)) throw error;
  stderr.write(`${error.message}\n`);
  process.exitCode = error.kind === 'network' || error.kind === 'unavailable' ? 5 : 1;
}
