import { ClientError } from '@berth/client';
import { duration } from '@berth/client/amounts';
import { z } from 'zod';
import type { Session } from '../session.ts';
import { type Check, failed, passed, serverError, warned, withinTimeLimit } from './check.ts';
import manifest from '../../package.json' with { type: 'json' };

/** The clocks of two machines rarely differ by more. Larger differences make certificates and expiry times invalid. */
const MAX_CLOCK_SECONDS = 30;

const Health = z.object({ status: z.literal('ok') });
const OpenApi = z.object({ info: z.object({ title: z.string(), version: z.string() }) });

/** Checks that the server responds, its clock and its version. The first check fails alone if there is no server. */
export async function checkServer(session: Session): Promise<Check[]> {
  const sentAtMs = Date.now();
  try {
    const response = await withinTimeLimit(session, (signal) => session.client.request('healthz', { signal }));
    const tookMs = Date.now() - sentAtMs;
    const { origin, host } = session.server.server;
    if (!Health.safeParse(await response.json().catch(() => null)).success)
      throw new ClientError('server', `The response of ${host} is not from a Berth server.`);
    const clock = checkClock(response.headers.get('date'), sentAtMs + tookMs / 2);
    const server = isUnencrypted(session.server.server)
      ? warned('server', `${origin} responds, without encryption`, 'Use https: others in the network can read the key.')
      : passed('server', `${origin} responds in ${tookMs} ms`);
    return [server, await checkVersion(session), ...clock];
  } catch (thrown) {
    const error = serverError(thrown);
    return [failed('server', error, session, error.kind === 'server' ? 'Check the address, or set --server.' : null)];
  }
}

/** True if a key would cross the network without encryption. */
function isUnencrypted({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && !/(?:^|\.)localhost$|^127\.|^\[::1\]$/.test(hostname);
}

/** @param date The `Date` header of the response. @param localMs When the response was sent, by the clock of this machine. */
function checkClock(date: string | null, localMs: number): Check[] {
  const serverMs = Date.parse(date ?? '');
  if (Number.isNaN(serverMs)) return [];
  const seconds = Math.round((localMs - serverMs) / 1000);
  if (Math.abs(seconds) <= MAX_CLOCK_SECONDS) return [passed('clock', 'agrees with the clock of the server')];
  const message = `this machine is ${duration(Math.abs(seconds))} ${seconds > 0 ? 'ahead of' : 'behind'} the server`;
  return [warned('clock', message, 'Synchronize both clocks: certificates and expiry times depend on them.')];
}

async function checkVersion(session: Session): Promise<Check> {
  const { version: ownVersion } = manifest;
  try {
    const response = await withinTimeLimit(session, (signal) => session.client.request('openapi.json', { signal }));
    const { version } = OpenApi.parse(await response.json()).info;
    if (seriesOf(version) === seriesOf(ownVersion)) return passed('version', `the server is Berth ${version}`);
    const older = compareVersions(ownVersion, version) < 0 ? 'berth' : 'the server';
    return warned('version', `the server is Berth ${version}, this is berth ${ownVersion}`, `Update ${older}.`);
  } catch (thrown) {
    if (thrown instanceof ClientError) serverError(thrown);
    return warned('version', 'the server does not say its version', 'Update the server if a command fails.');
  }
}

/** Returns the part of a version within which nothing breaks: `0.1` before 1.0.0, otherwise the major version. */
function seriesOf(version: string): string {
  const [major, minor] = version.split('.');
  return major === '0' ? `0.${minor}` : major!;
}

function compareVersions(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}
