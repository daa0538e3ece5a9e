/** These programs misuse the client. Each line below a `@ts-expect-error` must not compile. */
import { createClient, deployFiles, deployFolder, type DeployEvent, planFolder } from '../../src/index.ts';

const client = createClient({ server: 'https://berth.example', key: null });

export async function calls() {
  const { deployments } = await client.api.deployments.list.query({ limit: 10 });
  deployments[0]?.url.toUpperCase();
  // @ts-expect-error A deployment has no field `address`.
  void deployments[0]?.address;
  // @ts-expect-error There is no router `projects`.
  await client.api.projects.list.query();
  // @ts-expect-error There is no procedure `publish`.
  await client.api.deployments.publish.mutate({});
  // @ts-expect-error A stream is not a call; followActivities reads it.
  client.api.activities.watch.subscribe({}, {});
  await client.api.activities.list.query({ limit: 1 });
  // @ts-expect-error The procedure `list` is a query, not a mutation.
  await client.api.deployments.list.mutate({});
  // @ts-expect-error The input field `deployment` is required.
  await client.api.deployments.get.query({});
  // @ts-expect-error Each label must be a string.
  await client.api.deployments.update.mutate({ deployment: 'calm-otter-4k9x2qd', labels: [1] });
  // @ts-expect-error A domain cannot be unlinked.
  await client.api.domains.put.mutate({ domain: 'blog', deployment: null });
  const token = await client.api.tokens.create.mutate({ kind: 'deploy' });
  token.secret.length.toFixed();
  // @ts-expect-error There is no token kind `admin`.
  await client.api.tokens.create.mutate({ kind: 'admin' });
}

export async function options() {
  // @ts-expect-error The option `server` is required.
  createClient({ key: null });
  // @ts-expect-error A key must be a string.
  createClient({ server: 'https://berth.example', key: 1 });
  // @ts-expect-error A deploy needs a client.
  deployFolder({ folder: 'dist' });
  // @ts-expect-error The time to live must be a number.
  deployFolder({ folder: 'dist', client, ttl: '1h' });
  // @ts-expect-error There is no deploy option `force`.
  deployFolder({ folder: 'dist', client }, { force: true });
  // @ts-expect-error The content of a file must be a string or bytes.
  deployFiles({ client, files: [{ path: 'index.html', content: 1 }] });
  const plan = await planFolder({ folder: 'dist', client });
  plan.changes.added.at(0)?.toUpperCase();
  // @ts-expect-error The result of `planFolder` has no deployment.
  void plan.deployment;
}

export async function events() {
  for await (const event of deployFolder({ folder: 'dist', client })) {
    if (event.type === 'committed') event.deployment.url.toUpperCase();
    // @ts-expect-error Not every event has a deployment.
    void event.deployment;
    // @ts-expect-error There is no event `started`.
    if (event.type === 'started') return;
    wordsFor(event);
  }
  const deploy = deployFolder({ folder: 'dist', client });
  const deployStep = await deploy.next();
  // @ts-expect-error Only the last value of the iterator is a deployment.
  void deployStep.value.deployment;
  if (deployStep.done) deployStep.value.deployment.toUpperCase();
}

/** Handles all events, so that a new one does not compile. */
function wordsFor(event: DeployEvent): string {
  switch (event.type) {
    case 'walked':
      return `${event.total.files} files`;
    case 'hashed':
    case 'uploaded':
      return `${event.done.bytes} of ${event.total.bytes}`;
    case 'planned':
      return event.via;
    case 'retried':
      return event.reason;
    case 'committed':
      return event.deployment.url;
    case 'linked':
      return event.domain.url;
    default:
      return event satisfies never;
  }
}
