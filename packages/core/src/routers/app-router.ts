import { account } from './account.ts';
import { activities } from './activities.ts';
import { deployments } from './deployments.ts';
import { plans } from './plans.ts';
import { platform } from './platform.ts';
import { createCallerFactory, router } from './trpc.ts';

/** Every typed call. The REST face and the OpenAPI document are derived from it. */
export const appRouter = router({ account, activities, deployments, plans, platform });

/** The type that typed clients are made from. */
export type AppRouter = typeof appRouter;

/** Calls procedures in this process. */
export const createCaller = createCallerFactory(appRouter);
