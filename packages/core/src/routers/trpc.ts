import { initTRPC } from '@trpc/server';
import type { Caller, Core } from '../core.ts';
import { ServiceError } from '../errors.ts';
import { type Actor, mayCall } from './access.ts';
import { toErrorBody, toServiceError, toTrpcError } from './error-body.ts';

/** What every procedure is called with. One context serves a whole batch: it holds nothing a call could change. */
export interface Context {
  core: Core;
  caller: Caller;
  requestId: string;
}

/** How a procedure looks on the REST face and in the OpenAPI document. */
export interface Meta extends Record<string, unknown> {
  openapi?: {
    method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
    path: `/${string}`;
    summary: string;
    description?: string;
    tags: string[];
    protect?: boolean;
    successDescription?: string;
    /** The error statuses this operation can answer with. */
    errorResponses?: number[];
  };
  /** The status of success; 200 when absent. */
  status?: number;
  /** The REST face answers 301 to this path instead of calling the procedure. */
  redirect?: `/${string}`;
}

const t = initTRPC
  .context<Context>()
  .meta<Meta>()
  .create({
    isDev: false,
    errorFormatter: ({ shape, error, ctx }) => {
      const body = toErrorBody(toServiceError(error), ctx?.requestId ?? '');
      return { ...shape, message: body.message, data: { ...body, httpStatus: body.status, path: shape.data.path } };
    },
  });

/** Asks the access table, then speaks the closed vocabulary whatever the procedure throws. */
const guard = t.middleware(async ({ ctx, path, next }) => {
  const actor: Actor = ctx.caller.kind === 'anonymous' ? 'anonymous' : ctx.caller.credential;
  if (!mayCall(path, actor)) {
    throw toTrpcError(
      actor === 'anonymous'
        ? new ServiceError('authentication_failed', 'This needs a credential: send "Authorization: Bearer <API key>".')
        : new ServiceError(
            'forbidden',
            'A deploy token may deploy, read the limits and ping; use an API key for this.',
          ),
    );
  }
  const result = await next();
  if (!result.ok) throw toTrpcError(toServiceError(result.error));
  return result;
});

export const router = t.router;
export const createCallerFactory = t.createCallerFactory;

/** A procedure that its row in the access table opens. */
export const procedure = t.procedure.use(guard);

/** A procedure whose row names accounts only: its caller is one. */
export const accountProcedure = procedure.use(({ ctx, next }) => {
  if (ctx.caller.kind !== 'account')
    throw toTrpcError(new ServiceError('authentication_failed', 'This needs a credential.'));
  return next({ ctx: { caller: ctx.caller } });
});
