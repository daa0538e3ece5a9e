import { account, labels } from './account.ts';
import { activities } from './activities.ts';
import { devices } from './devices.ts';
import { deployments } from './deployments.ts';
import { domains } from './domains.ts';
import { invites, members } from './members.ts';
import { plans, platform } from './platform.ts';
import { passkeys, person, session, sessions, signIn } from './sign-in.ts';
import { sites } from './sites.ts';
import { tokens } from './tokens.ts';
import { createCallerFactory, router } from './trpc.ts';

/** The router of all procedures, from which the REST API and the OpenAPI document are derived. */
export const appRouter = router({
  account,
  activities,
  deployments,
  devices,
  domains,
  invites,
  labels,
  members,
  passkeys,
  person,
  plans,
  platform,
  session,
  sessions,
  signIn,
  sites,
  tokens,
});

/** The type of the router. Clients are compiled with the equal `ApiRouter` of the contract. */
export type AppRouter = typeof appRouter;

/** Creates a caller of procedures within this process. */
export const createCaller = createCallerFactory(appRouter);
