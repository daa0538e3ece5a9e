import {
  AccountChoice,
  BrowserSessionList,
  BrowserSessionPath,
  CodeRequest,
  CodeSignIn,
  DeletedSessions,
  Done,
  LinkRequest,
  LinkTarget,
  Passkey,
  PasskeyList,
  PasskeyOptions,
  PasskeyPath,
  PasskeyRequest,
  PasskeySignIn,
  PasswordChange,
  PasswordSignIn,
  RequestedCode,
  SessionProof,
  SessionState,
  SignedIn,
} from '@berth/contract';
import { proveWithCode, signInWithCode } from '../services/sign-in/code-sign-in.ts';
import { requestCode } from '../services/sign-in/codes.ts';
import { readLink, useLink } from '../services/sign-in/links.ts';
import { beginPasskeySignIn, proveWithPasskey, signInWithPasskey } from '../services/sign-in/passkey-sign-in.ts';
import { beginPasskey, createPasskey, deletePasskey, listPasskeys } from '../services/sign-in/passkeys.ts';
import { proveWithPassword, setPersonPassword, signInWithPassword } from '../services/sign-in/password.ts';
import { deleteOtherSessions, deleteSession, endSession, listSessions } from '../services/sign-in/session-list.ts';
import { PROOF_COOKIE_SECONDS } from '../services/sign-in/proofs.ts';
import { chooseAccount, readSessionState } from '../services/sign-in/session-state.ts';
import { browserProcedure, NoInput, router, sessionProcedure, signInProcedure } from './trpc.ts';

const DONE = { done: true } as const;

/** The procedures with which a person signs in. Each success gives the browser a new cookie. Source: api §13. */
export const signIn = router({
  readLink: signInProcedure
    .input(LinkRequest)
    .output(LinkTarget)
    .mutation(({ ctx, input }) => readLink(ctx.core, ctx.browser, input.secret)),

  useLink: signInProcedure
    .input(LinkRequest)
    .output(Done)
    .mutation(async ({ ctx, input }) => {
      await useLink(ctx.core, ctx.browser, input.secret);
      return DONE;
    }),

  password: signInProcedure
    .input(PasswordSignIn)
    .output(Done)
    .mutation(async ({ ctx, input }) => {
      await signInWithPassword(ctx.core, ctx.browser, input);
      return DONE;
    }),

  beginPasskey: signInProcedure
    .input(NoInput)
    .output(PasskeyOptions)
    .mutation(({ ctx }) => beginPasskeySignIn(ctx.core, ctx.browser)),

  passkey: signInProcedure
    .input(PasskeySignIn)
    .output(Done)
    .mutation(async ({ ctx, input }) => {
      await signInWithPasskey(ctx.core, ctx.browser, input.response);
      return DONE;
    }),

  requestCode: signInProcedure
    .input(CodeRequest)
    .output(RequestedCode)
    .mutation(async ({ ctx, input }) => {
      await requestCode(ctx.core, ctx.browser, input);
      return { seconds: PROOF_COOKIE_SECONDS };
    }),

  code: signInProcedure
    .input(CodeSignIn)
    .output(SignedIn)
    .mutation(async ({ ctx, input }) => ({ back: await signInWithCode(ctx.core, ctx.browser, input.code) })),
});

/** The procedures for the session of this browser. Source: api §13. */
export const session = router({
  get: browserProcedure
    .input(NoInput)
    .output(SessionState)
    .query(({ ctx }) => readSessionState(ctx.core, ctx.browser, ctx.caller)),

  prove: sessionProcedure
    .input(SessionProof)
    .output(Done)
    .mutation(async ({ ctx, input: { password, response, code } }) => {
      if (password !== undefined) await proveWithPassword(ctx, password);
      if (response !== undefined) await proveWithPasskey(ctx, response);
      if (code !== undefined) await proveWithCode(ctx, code);
      return DONE;
    }),

  choose: sessionProcedure
    .input(AccountChoice)
    .output(Done)
    .mutation(async ({ ctx, input }) => {
      await chooseAccount(ctx, input.account);
      return DONE;
    }),

  end: browserProcedure
    .input(NoInput)
    .output(Done)
    .mutation(async ({ ctx }) => {
      await endSession(ctx.core, ctx.browser);
      return DONE;
    }),
});

/** The procedures for the browsers in which the person is signed in. Source: api §13. */
export const sessions = router({
  list: sessionProcedure
    .input(NoInput)
    .output(BrowserSessionList)
    .query(({ ctx }) => listSessions(ctx)),

  delete: sessionProcedure
    .input(BrowserSessionPath)
    .output(Done)
    .mutation(async ({ ctx, input }) => {
      await deleteSession(ctx, input.session);
      return DONE;
    }),

  deleteOthers: sessionProcedure
    .input(NoInput)
    .output(DeletedSessions)
    .mutation(async ({ ctx }) => ({ deleted: await deleteOtherSessions(ctx) })),
});

/** The procedures for the passkeys of the person. Source: api §13. */
export const passkeys = router({
  list: sessionProcedure
    .input(NoInput)
    .output(PasskeyList)
    .query(({ ctx }) => listPasskeys(ctx)),

  begin: sessionProcedure
    .input(NoInput)
    .output(PasskeyOptions)
    .mutation(({ ctx }) => beginPasskey(ctx)),

  create: sessionProcedure
    .input(PasskeyRequest)
    .output(Passkey)
    .mutation(({ ctx, input }) => createPasskey(ctx, input)),

  delete: sessionProcedure
    .input(PasskeyPath)
    .output(PasskeyPath)
    .mutation(({ ctx, input }) => deletePasskey(ctx, input.passkey)),
});

/** The procedures for the person who is signed in. Source: api §13. */
export const person = router({
  setPassword: sessionProcedure
    .input(PasswordChange)
    .output(Done)
    .mutation(async ({ ctx, input }) => {
      await setPersonPassword(ctx, input.password);
      return DONE;
    }),
});
