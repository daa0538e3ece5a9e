import { ClientError } from '@berth/client/browser';
import type { Answer } from '@berth/ui/backend';
import { problemOf } from '../account/answers.ts';

/** Returns the result of a call that proves who a person is. A 401 then says what is wrong with the proof. Never rejects. */
export async function answerOfProof<T>(call: Promise<T>): Promise<Answer<T>> {
  try {
    return { ok: true, value: await call };
  } catch (thrown) {
    if (!(thrown instanceof ClientError) || thrown.status !== 401) return { ok: false, problem: problemOf(thrown) };
    return { ok: false, problem: { kind: 'refused', message: thrown.message, next: null, file: null } };
  }
}

/** Whether a call failed only because the person must first prove who they are. Source: api §13; security T46. */
export function needsProof(thrown: unknown): boolean {
  return thrown instanceof ClientError && Object(thrown.details as unknown).prove === true;
}
