import type { Browser, Core } from '../../core.ts';
import { ServiceError } from '../../errors.ts';
import { useCode } from './codes.ts';
import { openSession, renewSession } from './sessions.ts';
import type { SessionScope } from './session-scope.ts';
import { provePerson } from './sign-up.ts';

/**
 * Signs in the person of a code. Opens an account if `SIGN_UP` is on and the person has none.
 *
 * @returns The path of the console to return to; `null` for none.
 * @throws as {@link useCode}; `forbidden` as {@link openSession}. Source: api §13; security T44, T47.
 */
export async function signInWithCode(core: Core, browser: Browser, code: string): Promise<string | null> {
  const { email, back } = await useCode(core, browser, code);
  const session = await core.database.transaction(async (em) => {
    const person = await provePerson(em, core, { email, name: null });
    return openSession(em, core, browser, { person, method: 'code' });
  });
  browser.keepSession(session);
  return back;
}

/** Proves with a code that the person of a session is still the same. @throws `authentication_failed`. */
export async function proveWithCode({ core, browser, caller }: SessionScope, code: string): Promise<void> {
  const { email } = await useCode(core, browser, code);
  if (email !== caller.session.email)
    throw new ServiceError('authentication_failed', 'The code is for another e-mail address. Ask for one for yours.');
  browser.keepSession(await renewSession(core, caller.token));
}
