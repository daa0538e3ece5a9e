import { setTimeout as sleep } from 'node:timers/promises';
import { claimInTwoAccounts, newOrder, remove, setPassword, switchDomain, useToken } from './change.ts';
import { RunEnded, UnexpectedResponse, type Wire } from './exchange.ts';
import { type Client, pick, type Site } from './oracle.ts';
import { publish, publishSpoilt, replay } from './publish.ts';
import { checkDomain, checkFile, FRESH_MS } from './visit.ts';

/** What the steps of clients need beside the wire. */
export interface Town {
  wire: Wire;
  clients: readonly Client[];
  /** The time by the clock of the service, in Unix seconds. */
  nowSeconds(): number;
}

type Step = (town: Town, client: Client) => Promise<void>;

const MAX_SITES = 10;
const KEEP = 4;
const CODINGS = ['identity', 'br', 'gzip', 'zstd'];

const live = ({ sites }: Client) => sites.filter(({ state, mayHaveExpired }) => state === 'live' && !mayHaveExpired);
/** The sites that a domain can show, and that can be changed. */
const permanent = (client: Client) => live(client).filter(({ expires }) => expires === null);
const newPassword = (random: () => number) => `password ${Math.floor(random() * 1e9)}`;

/** The steps of a client, with their weights. */
const STEPS: readonly (readonly [weight: number, step: Step])[] = [
  [16, ({ wire }, client) => publishOne(wire, client)],
  [14, ({ wire }, client) => publishToDomain(wire, client)],
  [8, ({ wire }, client) => publishSpoiltOne(wire, client)],
  [12, removeOne],
  [8, switchOne],
  [5, changePassword],
  [4, ({ wire }, client) => useToken(wire, client, (secret) => newOrder(client, { credential: secret }))],
  [4, claimOne],
  [4, replayOne],
  [25, readOne],
];
const TOTAL_WEIGHT = STEPS.reduce((sum, [weight]) => sum + weight, 0);

/** Takes steps until `stop` is aborted. The last step ends with a definite outcome. */
export async function keepGoing(town: Town, client: Client, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    let choice = client.random() * TOTAL_WEIGHT;
    const [, step] = STEPS.find(([weight]) => (choice -= weight) < 0)!;
    try {
      await (client.sites.length > MAX_SITES ? removeOne(town, client) : step(town, client));
    } catch (error) {
      if (error instanceof RunEnded) return;
      if (!(error instanceof UnexpectedResponse)) throw error;
    }
    await sleep(5);
  }
}

/**
 * Takes the steps that a loaded machine may leave out for minutes: two deploys that keep few versions of a domain, and a token
 * that is used and revoked. No client may change anything meanwhile.
 */
export async function takeRareSteps({ wire }: Town, client: Client): Promise<void> {
  for (let i = 0; i < 2; i += 1) await publish(wire, client, newOrder(client, { domain: client.domain, keep: KEEP }));
  await useToken(wire, client, (secret) => newOrder(client, { credential: secret }));
}

async function publishOne(wire: Wire, client: Client): Promise<void> {
  const { random } = client;
  const choice = random();
  const options =
    choice < 0.15
      ? { password: newPassword(random) }
      : choice < 0.35
        ? { ttl: 30 + Math.floor(random() * 20_000) }
        : {};
  const order = newOrder(client, options);
  // A deploy without a key may publish once for each attempt.
  await publish(wire, client, choice > 0.9 && order.kind !== 'delta' ? { ...order, key: null } : order);
}

async function publishToDomain(wire: Wire, client: Client): Promise<void> {
  const { random } = client;
  const password = random() < 0.1 ? { password: newPassword(random) } : {};
  const keep = random() < 0.5 ? { keep: KEEP } : {};
  // A lost switch may still be executed, and the new deployment would then inherit another password.
  if (client.domainUncertain || client.shown?.uncertain) return;
  await publish(wire, client, newOrder(client, { domain: client.domain, ...password, ...keep }));
}

async function publishSpoiltOne(wire: Wire, client: Client): Promise<void> {
  const order = newOrder(client);
  const spoilt = order.kind === 'form' && client.random() < 0.3 ? 'wrong checksum' : 'cut';
  if (order.kind !== 'delta') await publishSpoilt(wire, client, { ...order, spoilt });
}

async function removeOne({ wire }: Town, client: Client): Promise<void> {
  if (client.domainUncertain) return;
  const removable = client.sites.filter(({ id, state }) => state === 'live' && id !== client.shown?.id);
  const site = removable.find(({ mayHaveExpired }) => mayHaveExpired) ?? pick(client.random, removable);
  if (!site) return;
  if (site.mayHaveExpired) client.sites = client.sites.filter((other) => other !== site);
  else await remove(wire, client, site);
}

async function switchOne({ wire }: Town, client: Client): Promise<void> {
  const site = pick(client.random, permanent(client));
  if (site) await switchDomain(wire, client, site);
}

async function changePassword({ wire }: Town, client: Client): Promise<void> {
  const site = pick(client.random, permanent(client));
  const password = client.random() < 0.6 ? newPassword(client.random) : null;
  if (site && (password !== null || site.password !== null)) await setPassword(wire, client, site, password);
}

async function claimOne({ wire, clients }: Town, client: Client): Promise<void> {
  const other = pick(
    client.random,
    clients.filter((one) => one !== client),
  );
  if (!other) return;
  const order = newOrder(client, { credential: null });
  await claimInTwoAccounts(wire, client, other, order.kind === 'delta' ? { ...order, kind: 'form' } : order);
}

async function replayOne({ wire }: Town, client: Client): Promise<void> {
  const order = pick(client.random, client.repeatable);
  if (order) await replay(wire, order);
}

/** Reads a live site, a deleted one, or the domain, if its last change is old enough to be seen everywhere. */
async function readOne(town: Town, client: Client): Promise<void> {
  const { wire } = town;
  const { random } = client;
  const isFresh = ({ changedAt }: Pick<Site, 'changedAt'>) => performance.now() - changedAt > FRESH_MS;
  const nowSeconds = town.nowSeconds();
  const choice = random();
  if (choice < 0.4) {
    const { domainUncertain, domainChangedAt: changedAt, shown } = client;
    if (!domainUncertain && isFresh({ changedAt }) && shown && !shown.uncertain && isFresh(shown))
      await checkDomain(wire, client, nowSeconds);
    return;
  }
  const site = pick(random, choice < 0.55 ? client.gone : client.sites);
  if (!site || site.uncertain || !isFresh(site)) return;
  const file = pick(random, site.files)!;
  await checkFile(wire, site, file, { coding: pick(random, CODINGS)!, nowSeconds });
}
