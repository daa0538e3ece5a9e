import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';
import type { Browser, Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import type { ProofPurpose } from '../../entities/index.ts';
import { ServiceError } from '../../errors.ts';
import { isMailAddress } from '../../mail/mailer.ts';
import { randomSecret, secretHash } from '../random.ts';
import { sendMail, takeMail } from '../mails.ts';
import { rateLimitExceeded, requireRateLimit } from '../rate-limits.ts';
import { findPerson, isMember } from './persons.ts';
import { createProof, PROOF_COOKIE_SECONDS, type SpentProof, spendProof } from './proofs.ts';

/** How often a code can be entered. Source: api §13. */
const MAX_TRIES = 5;
const WRONG = { code: 'The code is wrong.', email: 'A code is wrong.' } as const;

/** What a code is asked for. */
export interface CodeRequest {
  email: string;
  /** The path of the console to return to. */
  back?: string | undefined;
}

/**
 * Sends a code to an e-mail address, if a person with that address can sign in. The answer depends on nothing but the limits, and
 * who has the address is looked up after it was sent. Only this browser can use the code.
 *
 * @throws `business_logic_error` without a mail server; `rate_limit_exceeded` after 3 codes an hour for one address.
 * Source: api §13; security T44, T45.
 */
export async function requestCode(core: Core, browser: Browser, { email, back }: CodeRequest): Promise<void> {
  requireMailer(core, 'Use another way to sign in.');
  const address = email.toLowerCase();
  await requireRateLimit(core, 'signin', browser.address);
  await countMail(core, address);
  const secret = randomSecret();
  const code = randomCode();
  const codeHash = hashCode(core, secret, code);
  await core.database.transaction(async (em) =>
    createProof(em, core, {
      secret,
      purpose: 'code',
      email: address,
      codeHash,
      back: back ?? null,
      ttlSeconds: PROOF_COOKIE_SECONDS,
    }),
  );
  browser.keepProof(secret);
  browser.afterResponse(() => sendCode(core, address, code));
}

/** @throws `business_logic_error` without a mail server. @param advice What the person can do instead. */
function requireMailer(core: Core, advice: string): void {
  if (core.signIn.mailer === null)
    throw new ServiceError('business_logic_error', `This server sends no e-mail. ${advice}`, {
      details: { state: 'no_mail' },
    });
}

/** Returns a code of 6 digits. */
export function randomCode(): string {
  return String(randomInt(1_000_000)).padStart(6, '0');
}

/** Counts a code that is sent to an address. @throws `rate_limit_exceeded` after 3 an hour. Source: api §13. */
export async function countMail(core: Core, address: string): Promise<void> {
  if (!core.rateLimits) return;
  const state = await takeMail(core, 'code-mail', address);
  if (!state.allowed) throw rateLimitExceeded(state);
}

/** Sends a code if a person can sign in with it. Only logs a failure, because the response was sent. */
async function sendCode(core: Core, to: string, code: string): Promise<void> {
  const { mailer, signUp } = core.signIn;
  if (mailer === null || !isMailAddress(to)) return;
  try {
    if (signUp === null && !(await findPerson(core, to)) && !(await isMember(core, to))) return;
    await sendMail(core, { to, ...messageOf(core, code) });
  } catch (err) {
    core.log.warn({ err }, 'A sign-in code was not sent');
  }
}

function messageOf({ addresses }: Core, code: string): { subject: string; text: string } {
  const { host } = new URL(addresses.console);
  return {
    subject: `Your code for ${host}: ${code}`,
    text: [
      `Your code for ${host} is ${code}.`,
      '',
      'Enter it in the browser in which you asked for it, within 10 minutes.',
      'If you did not ask for it, ignore this message. Give the code to no one.',
      '',
    ].join('\n'),
  };
}

/** The purposes of proofs that have a code. */
type CodePurpose = Extract<ProofPurpose, 'code' | 'email'>;

/**
 * Uses the code of a browser. Each call is one of {@link MAX_TRIES}. Of many concurrent calls with the right code one succeeds.
 *
 * @param purpose What the code was sent for. Default: to sign in.
 * @returns What the code was asked for: its e-mail address, which is now proved, and the path to return to.
 * @throws `authentication_failed`; `rate_limit_exceeded`. Source: api §13; security T44, T45.
 */
export async function useCode(
  core: Core,
  browser: Browser,
  code: string,
  purpose: CodePurpose = 'code',
): Promise<SpentProof & { email: string }> {
  await requireRateLimit(core, 'signin', browser.address);
  const secret = browser.proof;
  const tried = secret === null ? undefined : await countTry(core, purpose, secret);
  if (secret === null || tried === undefined)
    throw new ServiceError(
      'authentication_failed',
      'There is no code for this browser, or it has expired. Ask for another one.',
    );
  if (timingSafeEqual(hashCode(core, secret, code), tried.codeHash!)) {
    const proof = await spendProof(core, core, purpose, secret);
    if (proof) {
      browser.keepProof(null);
      return { ...proof, email: proof.email! };
    }
  }
  const left = MAX_TRIES - tried.tries;
  const advice = left === 0 ? 'Ask for another one.' : `You can try ${left} more ${left === 1 ? 'time' : 'times'}.`;
  throw new ServiceError('authentication_failed', `${WRONG[purpose]} ${advice}`);
}

/** Counts a try before the code is compared, so that concurrent guesses get no extra tries. */
async function countTry(core: Core, purpose: CodePurpose, secret: string) {
  return db(core)
    .updateTable('proof')
    .set((eb) => ({ tries: eb('tries', '+', 1) }))
    .where('secret_hash', '=', secretHash(secret))
    .where('purpose', '=', purpose)
    .where('tries', '<', MAX_TRIES)
    .where('expires', '>', core.now())
    .returning(['tries', 'code_hash as codeHash'])
    .executeTakeFirst();
}

/** Returns what is stored of a code. @param secret The secret of the browser. */
export function hashCode(core: Core, secret: string, code: string): Buffer {
  return createHmac('sha256', core.keys.code).update(`mail\0${secret}\0${code}`).digest();
}
