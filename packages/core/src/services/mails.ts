import pLimit from 'p-limit';
import type { Core } from '../core.ts';
import { unavailable } from '../errors.ts';
import { isMailAddress, type Mail } from '../mail/mailer.ts';
import { takeFromBucket } from './rate-limits.ts';

const MAX_WAITING_MAILS = 100;
const MAILS_PER_ADDRESS = { count: 3, perSeconds: 3600 };

const queue = pLimit(2);

/**
 * Sends an e-mail after those that wait already.
 *
 * @throws `unavailable` without a mail server, if too many e-mails are waiting, or if the mail server does not take it.
 */
export async function sendMail({ signIn: { mailer } }: Core, mail: Mail): Promise<void> {
  if (mailer === null) throw unavailable('This server sends no e-mail.');
  if (queue.pendingCount >= MAX_WAITING_MAILS)
    throw unavailable('Too many e-mails are waiting. Try again in a minute.');
  await queue(() => mailer.send(mail)).catch((error: unknown) => {
    throw unavailable('The e-mail could not be sent. Check the address, and try again.', error);
  });
}

/** Whether e-mail can arrive at an address. The default address of the owner, `owner@localhost`, cannot receive any. */
export function canReceiveMail(address: string): boolean {
  return isMailAddress(address) && !/@localhost$/i.test(address);
}

/**
 * Counts an e-mail of one kind to one address. The limit is 3 an hour.
 *
 * @param kind The prefix of the bucket, such as `code-mail`.
 */
export function takeMail(core: Core, kind: string, address: string) {
  return takeFromBucket(core, `${kind}:${address}`, MAILS_PER_ADDRESS);
}
