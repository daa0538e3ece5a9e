import { Limits, MovedConfig, Ping, PlanList } from '@berth/contract';
import { getLimits, listPlans } from '../services/accounts/plans.ts';
import { accountProcedure, NoInput, operations, procedure, router } from './trpc.ts';

const op = operations('Platform', accountProcedure);
const publicOp = operations('Platform', procedure);

/** The procedures for the limits of the platform and for its health check. Source: api §6. */
export const platform = router({
  limits: op('GET /limits', 'Read the limits of a deploy', {
    success: 'The limits of the account’s plan.',
    description:
      'A client that knows the limits can refuse a folder before it sends anything. The server checks them in any case.',
  })
    .input(NoInput)
    .output(Limits)
    .query(({ ctx }) => getLimits(ctx)),

  config: publicOp('GET /config', 'Moved to /limits', {
    description: 'For older command-line clients. Use `/limits` instead.',
    deprecated: true,
    status: 301,
    redirect: '/limits',
  })
    .input(NoInput)
    .output(MovedConfig)
    .query(() => ({ location: '/limits' as const })),

  ping: op('GET /ping', 'Check that the service responds and the credential is valid', {
    success: 'The service responds, and the credential is valid.',
    description:
      'For clients that check their credential. To monitor a server without a credential, use `GET /healthz`, which is 200 with `{"status":"ok"}` or 503.',
  })
    .input(NoInput)
    .output(Ping)
    .query(({ ctx }) => ({ timestamp: Math.floor(ctx.core.now().getTime() / 1000) })),
});

/** The procedure for the plans. Source: api §6. */
export const plans = router({
  list: publicOp('GET /plans', 'List the plans on sale, in display order', {
    success: 'The plans.',
    description: 'What the service offers, for a page of prices. The plan of the account is in `GET /account`.',
  })
    .input(NoInput)
    .output(PlanList)
    .query(({ ctx }) => listPlans(ctx.core)),
});
