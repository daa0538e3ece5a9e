import { account, labels } from './account.ts';
import { activities } from './activities.ts';
import { deployments } from './deployments.ts';
import { domains } from './domains.ts';
import { plans, platform } from './platform.ts';
import { tokens } from './tokens.ts';
import { createCallerFactory, router } from './trpc.ts';

/** All procedures. The REST API and the OpenAPI document are derived from this router. */
export const appRouter = router({ account, activities, deployments, domains, labels, plans, platform, tokens });

/** The type from which typed clients are created. */
export type AppRouter = typeof appRouter;

/** Calls procedures within this process. */
export const createCaller = createCallerFactory(appRouter);
