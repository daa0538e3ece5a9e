import type { SessionState } from '@berth/contract';
import { NOW_SECONDS } from '@berth/ui/testing/samples';
import type { Route } from 'playwright-core';

/** How the fake server answers a procedure. */
export type Script =
  | { value: unknown }
  | {
      /** An error, as the server sends it. */
      error: { status: number; error: string; message: string; details?: object };
    }
  | { /** The answers for the pages of a list. The cursor of a page is its number. */ pages: readonly unknown[] }
  | { /** Returns the answer to an input. */ reply: (input: Readonly<Record<string, unknown>>) => unknown }
  | { /** The connection breaks. */ offline: true }
  | { never: true };

type Offer = Omit<SessionState, 'signedIn'>;
type SignedIn = NonNullable<SessionState['signedIn']>;

/** Who is signed in, and how people can sign in. */
export interface SessionOptions {
  /** What differs from the sample person; `null` if no one is signed in. Default: the sample person. */
  signedIn?: Partial<SignedIn> | null;
  /** What differs from a server with passwords and passkeys. */
  offer?: Partial<Offer>;
}

/** A server that answers by scripts, and keeps what it receives. */
export interface FakeServer {
  /** Forgets all calls, breaks off those that still wait, and answers by other scripts. */
  reset(options: SessionOptions & { answers?: Readonly<Record<string, Script>> }): Promise<void>;
  answerCall(route: Route): Promise<void>;
  /** Returns the inputs of all calls of a procedure. */
  sent(procedure: string): unknown[];
  /** Changes the answer of a procedure. */
  answer(procedure: string, script: Script): void;
}

/** The person who is signed in, unless a state says otherwise. */
export const EMAIL = 'mara@harbour.example';

/** Creates a server without answers. */
export function createFakeServer(): FakeServer {
  let scripts: Record<string, Script> = {};
  let calls: { procedure: string; input: unknown }[] = [];
  let waiting: Route[] = [];
  return {
    async reset({ answers, ...session }) {
      scripts = { session: { value: sessionOf(session) }, ...answers };
      calls = [];
      const routes = waiting;
      waiting = [];
      // The page may have ended the call itself.
      await Promise.all(routes.map((route) => route.abort('aborted').catch(() => {})));
    },
    async answerCall(route) {
      const { procedure, input } = callOf(route);
      calls.push({ procedure, input });
      const script = scripts[procedure] ?? { never: true };
      if ('never' in script) waiting.push(route);
      else if ('offline' in script) await route.abort('failed');
      else if (procedure === 'session') await route.fulfill({ json: 'value' in script ? script.value : {} });
      else await route.fulfill(responseOf(procedure, script, input));
    },
    sent: (procedure) => calls.filter((call) => call.procedure === procedure).map(({ input }) => input),
    answer: (procedure, script) => void (scripts[procedure] = script),
  };
}

function callOf(route: Route): { procedure: string; input: unknown } {
  const request = route.request();
  const { pathname, searchParams } = new URL(request.url());
  const input: unknown = JSON.parse(request.postData() ?? searchParams.get('input') ?? 'null');
  return { procedure: pathname.replace(/^\/(?:trpc\/)?/, ''), input };
}

function responseOf(procedure: string, script: Exclude<Script, { never: true } | { offline: true }>, input: unknown) {
  if ('error' in script) {
    const { error } = script;
    const data = { ...error, httpStatus: error.status, path: procedure };
    return { status: error.status, json: { error: { message: error.message, code: -32_600, data } } };
  }
  return { json: { result: { data: dataOf(script, (input ?? {}) as Record<string, unknown>) } } };
}

function dataOf(
  script: Extract<Script, { value: unknown } | { pages: unknown } | { reply: unknown }>,
  input: Readonly<Record<string, unknown>>,
): unknown {
  if ('value' in script) return script.value;
  return 'reply' in script ? script.reply(input) : script.pages[Number(input['cursor'] ?? 0)];
}

/** Returns the answer of `GET /session`. */
function sessionOf({ signedIn = {}, offer = {} }: SessionOptions): SessionState {
  const account = { account: 'acc-1', email: EMAIL, name: 'Harbour Festival', role: 'owner' };
  return {
    methods: { password: true, passkey: true, code: false, oidc: null },
    signUp: false,
    refusal: null,
    anonymous: {
      maxFileSize: 20_971_520,
      maxFilesCount: 1_000,
      maxTotalSize: 26_214_400,
      blockedExtensions: ['exe'],
    },
    ...offer,
    signedIn: signedIn && {
      session: 'ses-1',
      method: 'passkey',
      person: { id: 'per-1', email: EMAIL, name: 'Mara Lind' },
      account: account.account,
      accountState: 'active',
      accountStateReason: null,
      role: account.role,
      accounts: [account],
      provenUntil: NOW_SECONDS + 600,
      hasPassword: false,
      passkeys: 1,
      identities: 0,
      ...signedIn,
    },
  };
}
