import type { ApiRouter } from '@berth/contract';
import type { AppRouter } from '../../src/routers/app-router.ts';

/** Compiles only if the router of the server equals `ApiRouter` of the contract. The error names the procedures that differ. */
export const differentProcedures: Record<
  DifferentProcedures<AppRouter['_def']['record'], ApiRouter['_def']['record']>,
  never
> = {};

/** The names of the procedures that only one of two routers has, or whose kind, input or output differ: `tokens.list`. */
type DifferentProcedures<A extends object, B extends object> = {
  [Noun in (keyof A | keyof B) & string]: `${Noun}.${DifferentNames<MemberOf<A, Noun>, MemberOf<B, Noun>>}`;
}[(keyof A | keyof B) & string];

type DifferentNames<A extends object, B extends object> = {
  [Verb in (keyof A | keyof B) & string]: IsEqual<
    SignatureOf<MemberOf<A, Verb>>,
    SignatureOf<MemberOf<B, Verb>>
  > extends true
    ? never
    : Verb;
}[(keyof A | keyof B) & string];

type MemberOf<T extends object, Name extends string> = Name extends keyof T ? Extract<T[Name], object> : {};

type SignatureOf<Procedure> = Procedure extends {
  _def: { type: infer Kind; $types: { input: infer Input; output: infer Output } };
}
  ? [Kind, Input, Output]
  : 'missing';

type IsEqual<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
