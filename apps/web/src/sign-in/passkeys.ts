import type { Passkey, PasskeyOptions } from '@berth/contract';
import type { Answer } from '@berth/ui/backend';
import { answerOf } from '../account/answers.ts';
import { answerOfProof } from './proof-answers.ts';
import { client } from '../backend.ts';

/** Whether this browser offers passkeys. It does so only on https and on this machine. */
export function hasPasskeys(): boolean {
  return isSecureContext && 'PublicKeyCredential' in window && 'parseCreationOptionsFromJSON' in PublicKeyCredential;
}

/** Lets the person create a passkey, and adds it to their account. */
export async function addPasskey(name: string): Promise<Answer<Passkey>> {
  const begun = await answerOf(client.api.passkeys.begin.mutate());
  if (!begun.ok) return begun;
  const response = await askBrowser(() => navigator.credentials.create({ publicKey: creationOptions(begun.value) }));
  if (!response.ok) return response;
  return answerOf(client.api.passkeys.create.mutate({ name, response: response.value }));
}

/** Lets the person choose a passkey, and signs them in with it. */
export async function signInWithPasskey(): Promise<Answer<unknown>> {
  const response = await readPasskey();
  return response.ok ? answerOfProof(client.api.signIn.passkey.mutate({ response: response.value })) : response;
}

/** Lets the person prove with a passkey who they are. */
export async function proveWithPasskey(): Promise<Answer<unknown>> {
  const response = await readPasskey();
  return response.ok ? answerOfProof(client.api.session.prove.mutate({ response: response.value })) : response;
}

type PasskeyResponse = Parameters<typeof client.api.signIn.passkey.mutate>[0]['response'];

async function readPasskey(): Promise<Answer<PasskeyResponse>> {
  const begun = await answerOf(client.api.signIn.beginPasskey.mutate());
  if (!begun.ok) return begun;
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    begun.value.options as unknown as PublicKeyCredentialRequestOptionsJSON,
  );
  return askBrowser(() => navigator.credentials.get({ publicKey }));
}

function creationOptions({ options }: PasskeyOptions): PublicKeyCredentialCreationOptions {
  return PublicKeyCredential.parseCreationOptionsFromJSON(options as unknown as PublicKeyCredentialCreationOptionsJSON);
}

async function askBrowser(ask: () => Promise<Credential | null>): Promise<Answer<PasskeyResponse>> {
  try {
    const credential = (await ask()) as PublicKeyCredential | null;
    if (credential !== null) return { ok: true, value: credential.toJSON() as unknown as PasskeyResponse };
    return failed('The browser returned no passkey.');
  } catch (error) {
    return failed(describe(error as DOMException));
  }
}

/** Browsers give the same error for a dialog that was closed and for one that took too long. */
function describe({ name, message }: DOMException): string {
  if (name === 'InvalidStateError') return 'This device already has a passkey for this account.';
  if (name === 'NotAllowedError') return 'No passkey was used. The dialog was closed, or it took too long.';
  return `The passkey could not be used: ${message}`;
}

function failed(message: string): Answer<never> {
  return { ok: false, problem: { kind: 'aborted', message, next: 'Try again.', file: null } };
}
