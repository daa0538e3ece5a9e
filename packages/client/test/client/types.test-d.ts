/** Programs that misuse the client and must not compile. Each line below a `@ts-expect-error` must be an error. */
import { createClient, deployFiles, deployFolder, type DeployEvent, planFolder } from '../../src/index.ts';

const client = createClient({ server: 'https://berth.example', key: null });

export async function calls() {
  const { deployments } = await client.api.deployments.list.query({ limit: 10 });
  deployments[0]?.url.toUpperCase();
  // @ts-expect-error There is no such field.
  void deployments[0]?.address;
  // @ts-expect-error There is no such router.
  await client.api.sites.list.query();
  // @ts-expect-error There is no such procedure.
  await client.api.deployments.publish.mutate({});
  // @ts-expect-error A query is not a mutation.
  await client.api.deployments.list.mutate({});
  // @ts-expect-error The deployment is required.
  await client.api.deployments.get.query({});
  // @ts-expect-error Labels are strings.
  await client.api.deployments.update.mutate({ deployment: 'calm-otter-4k9x2qd', labels: [1] });
  // @ts-expect-error A domain cannot be unlinked.
  await client.api.domains.put.mutate({ domain: 'blog', deployment: null });
  const token = await client.api.tokens.create.mutate({ kind: 'deploy' });
  token.secret.length.toFixed();
  // @ts-expect-error There is no such kind.
  await client.api.tokens.create.mutate({ kind: 'admin' });
}

export async function options() {
  // @ts-expect-error The server is required.
  createClient({ key: null });
  // @ts-expect-error A key is a string.
  createClient({ server: 'https://berth.example', key: 1 });
  // @ts-expect-error The client of a deploy is required.
  deployFolder({ folder: 'dist' });
  // @ts-expect-error A time to live is a number.
  deployFolder({ folder: 'dist', client, ttl: '1h' });
  // @ts-expect-error There is no such option.
  deployFolder({ folder: 'dist', client }, { force: true });
  // @ts-expect-error Contents are strings or bytes.
  deployFiles({ client, files: [{ path: 'index.html', content: 1 }] });
  const plan = await planFolder({ folder: 'dist', client });
  plan.changes.added.at(0)?.toUpperCase();
  // @ts-expect-error The result is not a deployment.
  void plan.deployment;
}

export async function events() {
  for await (const event of deployFolder({ folder: 'dist', client })) {
    if (event.type === 'committed') event.deployment.url.toUpperCase();
    // @ts-expect-error Not every event has a deployment.
    void event.deployment;
    // @ts-expect-error There is no such event.
    if (event.type === 'started') return;
    wordsFor(event);
  }
  const deploy = deployFolder({ folder: 'dist', client });
  const step = await deploy.next();
  // @ts-expect-error Only the last result is a deployment.
  void step.value.deployment;
  if (step.done) step.value.deployment.toUpperCase();
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
