// A process that owns or visits an embedded PostgreSQL. It prints `adopted`, and stops at the end of its standard input.
import { startEmbeddedPostgres } from '../../src/database/embedded-postgres.ts';

const server = await startEmbeddedPostgres(process.argv[2]!, {
  settings: { fsync: 'off' },
  visitor: process.argv[3] === 'visitor',
});
process.stdout.write(`${JSON.stringify({ adopted: server.adopted })}\n`);
process.stdin.resume();
process.stdin.once('end', async () => {
  await server.stop();
  process.exit();
});
