// A program that uses the package from Node. A test compiles and runs it outside of this repository.
import { type ApiRouter, createClient, deployFolder, errorText, followActivities } from '@berth/client';
import { bytes } from '@berth/client/amounts';
import { createTRPCClient, httpBatchLink } from '@trpc/client';

const server = process.env['BERTH_SERVER']!;
const key = process.env['BERTH_KEY']!;
const client = createClient({ server, key });

const stop = new AbortController();
const activities = followActivities(client, stop.signal, { last: 1 });
const newest = activities.next();

let url = '';
for await (const event of deployFolder({ client, folder: 'site', labels: ['packed'] }, { cacheDir: 'cache' })) {
  if (event.type === 'planned') console.log(`${bytes(event.missing.bytes)} to send`);
  if (event.type === 'committed') url = event.deployment.url;
}
console.log(url);

const { deployments } = await client.api.deployments.list.query({ limit: 1 });
console.log(deployments.map(({ labels }) => labels.join()).join());

const { value } = await newest;
console.log(value?.event);
stop.abort();

const other = createTRPCClient<ApiRouter>({
  links: [httpBatchLink({ url: `${server}/trpc`, headers: { Authorization: `Bearer ${key}` } })],
});
const { plan } = await other.account.get.query();
console.log(plan);

try {
  await client.api.deployments.get.query({ deployment: 'missing' });
} catch (error) {
  console.log(errorText(error));
}
