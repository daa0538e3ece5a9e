import { account } from './account.ts';
import { activities } from './activities.ts';
import { deployments } from './deployments.ts';
import { domains } from './domains.ts';
import { labels } from './labels.ts';
import { plans } from './plans.ts';
import { platform } from './platform.ts';
import { tokens } from './tokens.ts';
import { createCallerFactory, router } from './trpc.ts';

/** Every typed call. The REST face and the OpenAPI document are derived from it. */
export const appRouter = router({ account, activities, deployments, domains, labels, plans, platform, tokens });

/** The type that typed clients are made from. */
export type AppRouter = typeof appRouter;

/** Calls procedures in this process. */
export const createCaller = createCallerFactory(appRouter);
