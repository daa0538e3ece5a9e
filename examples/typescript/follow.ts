// Prints the activities of the account as they happen, until Ctrl-C. A lost connection is opened again.
//
//   BERTH_SERVER=http://localhost:4000 BERTH_KEY=ship-… node follow.ts
import { stderr, stdout } from 'node:process';
import { ClientError, createClient, followActivities } from '@berth/client';

const server = process.env['BERTH_SERVER'] || 'http://localhost:4000';
const client = createClient({ server, key: process.env['BERTH_KEY'] || null });

const stop = new AbortController();
process.once('SIGINT', () => stop.abort());

try {
  // The newest ten activities come first, the oldest of them before the others.
  for await (const { created, event, deployment, domain } of followActivities(client, stop.signal, { last: 10 })) {
    const when = new Date(created * 1_000).toISOString();
    stdout.write(`${[when, event, deployment, domain].filter((part) => part !== undefined).join(' ')}\n`);
  }
} catch (error) {
  if (!(error instanceof ClientError)) throw error;
  if (error.kind !== 'aborted') {
    stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
