import { setPriority } from 'node:os';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { CALL_PACE } from './input.ts';
import { INPUTS } from './inputs.ts';
import { type Client, createClient, type HostileResponse, type World } from './world.ts';

/** The parameters of one attack. */
export interface LoadParameters {
  /** The index of the input in {@link INPUTS}. */
  input: number;
  world: World;
  seconds: number;
  /** The maximum number of requests that wait for a response at the same time. */
  atOnce: number;
}

/** The number of responses by status, including `cut off` and `unanswered`. */
export type Statuses = Record<string, number>;

const ADDRESS = '127.0.0.1';
const POLL_MS = 5;
const LOWEST_PRIORITY = 19;

/**
 * Sends one hostile input at its pace until the time is up. This program runs in a separate process, which prepares,
 * waits, and then attacks.
 */
async function attack({ input, world, seconds, atOnce }: LoadParameters): Promise<void> {
  const { prepare, pace: { burst, perSecond } = CALL_PACE } = INPUTS[input]!;
  const client = createClient(world.port, ADDRESS);
  const { counted, statuses } = countResponses(client);
  const nextRequest = await prepare(world, counted);
  const clearStatuses = () => Object.keys(statuses).forEach((status) => delete statuses[status]);
  clearStatuses();
  process.send!('prepared');
  await new Promise((resolve) => process.once('message', resolve));

  const startedMs = performance.now();
  const elapsed = () => (performance.now() - startedMs) / 1000;
  let sentRequests = 0;
  const worker = async () => {
    while (elapsed() < seconds)
      if (sentRequests < burst + elapsed() * perSecond) await nextRequest(sentRequests++);
      else await sleep(POLL_MS);
  };
  await Promise.race([Promise.all(Array.from({ length: atOnce }, worker)), sleep(seconds * 1000 + 100)]);
  process.send!({ ...statuses }, () => process.exit(0));
}

/** Returns a client that counts its responses. */
function countResponses(client: Client): { counted: Client; statuses: Statuses } {
  const statuses: Statuses = {};
  const count = (status: HostileResponse['status'] | 'unanswered', by: number) => {
    statuses[status] = (statuses[status] ?? 0) + by;
  };
  const send: Client['send'] = async (request) => {
    count('unanswered', 1);
    const response = await client.send(request);
    count('unanswered', -1);
    count(response.status, 1);
    return response;
  };
  return { counted: { ...client, send }, statuses };
}

// A real attacker uses no processor time of the machine that it attacks.
setPriority(LOWEST_PRIORITY);
await attack(JSON.parse(process.argv[2]!) as LoadParameters);
