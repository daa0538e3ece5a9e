// Exits with 0 if the server on this machine is healthy; otherwise prints the reason to standard error and exits with 1.
import { request } from 'node:http';
import { readConfig } from './config/config.ts';

const TIMEOUT_MS = 5_000;

try {
  const { hosts, port, baseUrl } = readConfig(process.env);
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const options = {
      host: hosts[0],
      port,
      path: '/healthz',
      headers: { host: baseUrl.host },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    };
    request(options, (response) => resolve(response.resume().statusCode))
      .on('error', reject)
      .end();
  });
  if (status !== 200) throw new Error(`/healthz responded with ${status}; a healthy server responds with 200.`);
  process.exit(0);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
}
