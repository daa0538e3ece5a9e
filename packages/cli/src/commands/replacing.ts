import { ClientError } from '@berth/client';
import type { Session } from '../session.ts';

/**
 * Asks before a domain stops showing its deployment.
 *
 * @param domain The full name.
 * @param expected The deployment that the domain may show without a question; `null` for none.
 * @throws Declined.
 */
export async function confirmReplacing(session: Session, domain: string, expected: string | null): Promise<void> {
  if (!session.asks) return;
  const shown = await findDeployment(session, domain);
  if (shown === null || isSame(shown, expected)) return;
  await session.confirm(`${domain} shows ${shown}. Replace it?`);
}

/** Returns what a domain shows; `null` if it shows nothing. If the server cannot say, the command itself reports the error. */
async function findDeployment({ client, signal }: Session, domain: string): Promise<string | null> {
  try {
    return (await client.api.domains.get.query({ domain }, { signal })).deployment;
  } catch (error) {
    if (error instanceof ClientError && error.kind !== 'aborted') return null;
    throw error;
  }
}

/** Compares a deployment id with an id or a host name, which begins with the id. */
function isSame(deployment: string, reference: string | null): boolean {
  return reference?.toLowerCase().split('.', 1)[0] === deployment;
}
