import { setTimeout as sleep } from 'node:timers/promises';
import { formOf, OWNER_KEY } from '@berth/testing/requests';
import type { Http, HttpResponse } from '../clients/http.ts';
import { FRESH_MS } from '../clients/visit.ts';
import { signal } from '../world/processes.ts';
import type { World } from '../world/world.ts';
import type { Outcome } from './disturbance.ts';

/** Connections are distributed at random, so that about half of these wait for the stopped worker. */
const VISITS = 24;
const RECONNECT_MS = 2_500;
const ATTEMPT_MS = 1_500;

/** The processes to stop. */
interface Stopped {
  pids: readonly number[];
  /** Sends requests to the stopped processes, and perhaps to others. */
  visitor: Http;
  /** Sends requests to processes that run, and perhaps to the stopped ones. */
  editor: Http;
}

/**
 * Stops processes, deletes sites that they have in memory, and continues them. Visits of one site wait for the processes while
 * they are stopped; the other site is visited only after they have their connections again. Neither may be served, because both
 * were deleted long before.
 */
export async function deleteWhileStopped(
  { random, violations, records }: World,
  { pids, visitor, editor }: Stopped,
): Promise<Outcome> {
  const visits = (site: string) =>
    Array.from({ length: VISITS }, () => visitor({ host: `${site}.localhost`, path: '/' }));
  const requireGone = async (site: string, responses: Promise<HttpResponse>[], when: string) => {
    const outcomes = await Promise.allSettled(responses);
    const isShown = outcomes.some((outcome) => outcome.status === 'fulfilled' && outcome.value.status === 200);
    violations.require(
      !isShown,
      'gone',
      () => `${site} was deleted while a process was stopped, and is served ${when}`,
    );
  };
  const [visited, quiet] = [await publishProbe(editor), await publishProbe(editor)];
  for (const site of [visited, quiet, visited, quiet]) await Promise.allSettled(visits(site));
  for (const pid of pids) signal(pid, 'SIGSTOP');
  try {
    // A network that fails while the process is stopped also loses what it was about to read.
    const isCut = random() < 0.5;
    if (isCut) await records.query(END_SESSIONS).catch(() => null);
    await deleteProbe(editor, visited);
    await deleteProbe(editor, quiet);
    await sleep(FRESH_MS);
    const waiting = visits(visited);
    await sleep(300);
    for (const pid of pids) signal(pid, 'SIGCONT');
    await requireGone(visited, waiting, 'when it continues');
    await sleep(RECONNECT_MS);
    await requireGone(quiet, visits(quiet), 'after it has its connections again');
    return { detail: isCut ? 'and ended its sessions' : '', since: performance.now() };
  } finally {
    for (const pid of pids) signal(pid, 'SIGCONT');
  }
}

const END_SESSIONS = `select pg_terminate_backend(pid) from pg_stat_activity
  where backend_type = 'client backend' and pid <> pg_backend_pid()`;

/** Publishes a site as the owner. */
export async function publishProbe(http: Http): Promise<string> {
  const { contentType, body } = formOf({ 'index.html': `probe ${Math.random()}` }, { labels: '["probe"]' });
  const headers = { 'Content-Type': contentType };
  for (;;) {
    const request = { host: 'localhost', key: OWNER_KEY, method: 'POST', path: '/deployments', headers, body };
    const response = await http(request).catch(() => null);
    if (response?.status === 201) return response.json<{ deployment: string }>().deployment;
    await sleep(50);
  }
}

/** Deletes a site. Attempts that wait for the stopped worker are given up. */
async function deleteProbe(http: Http, site: string): Promise<void> {
  for (;;) {
    const request = {
      host: 'localhost',
      key: OWNER_KEY,
      method: 'DELETE',
      path: `/deployments/${site}`,
      timeoutMs: ATTEMPT_MS,
    };
    const response = await http(request).catch(() => null);
    if (response?.status === 202 || response?.status === 404) return;
    await sleep(20);
  }
}
