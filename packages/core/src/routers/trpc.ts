import type { DeployLimits } from '@berth/contract';
import { initTRPC } from '@trpc/server';
import type { JsonBounds } from '../bounded-json.ts';
import type { Caller, Core } from '../core.ts';
import { ServiceError } from '../errors.ts';
import { type Actor, mayCall } from './access.ts';
import { toErrorBody, toServiceError, toTrpcError } from './error-body.ts';

/** What every procedure is called with. One context serves a whole batch: it holds nothing a call could change. */
export interface Context {
  core: Core;
  caller: Caller;
  requestId: string;
  /** The `Idempotency-Key` as it was sent. Absent when it was not. */
  idempotencyKey?: string;
  /** Whether a browser asks for a page of another site than the console. Default: no. */
  isForeignPage?: boolean;
  /**
   * Tells a subscriber where its events begin, so that a line that drops before the first of them resumes there. Absent where
   * no line can drop.
   */
  beginAfter?: (eventId: string) => void;
  /** Called by a procedure that `creates` when it has made something new. The REST face then answers 201; tRPC has no use for it. */
  onCreated?: () => void;
}

/** How large a JSON body may be. */
export type BodySize = Pick<JsonBounds, 'maxBytes' | 'maxValues'>;

/** How a procedure looks on the REST face and in the OpenAPI document. */
export interface Meta extends Record<string, unknown> {
  openapi?: {
    method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
    path: `/${string}`;
    summary: string;
    description?: string;
    tags: string[];
    deprecated?: boolean;
    /** Whether an `Idempotency-Key` counts. */
    keyed?: true;
    /** What success answers, for people. */
    successDescription?: string;
    /**
     * Why this operation can answer with these error statuses, for people. Those that follow from who may call it, from its
     * input, or from being an operation at all are not repeated here.
     */
    errorResponses?: Record<number, string>;
  };
  /** The status of success; 200 when absent. */
  status?: number;
  /**
   * How large the JSON body of a call may be, where it grows with what the caller's plan allows. The body then has the
   * time of an upload to arrive. Default: what every call may send.
   */
  bodySize?: (limits: DeployLimits) => BodySize;
  /** Success is 201 as well: when the call has made something new, which it tells by `onCreated` of its context. */
  creates?: true;
  /** The REST face answers 301 to this path instead of calling the procedure. */
  redirect?: `/${string}`;
}

/** How often a line on which nothing happens is said to be alive. */
const PING_MS = 15_000;

const t = initTRPC
  .context<Context>()
  .meta<Meta>()
  .create({
    isDev: false,
    sse: {
      ping: { enabled: true, intervalMs: PING_MS },
      client: { reconnectAfterInactivityMs: 3 * PING_MS },
    },
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

/**
 * A procedure that publishes. No page of another site makes its visitors deploy anonymously: it could claim what they made.
 *
 * @throws `forbidden`. Source: contract §3; security T14.
 */
export const deployProcedure = procedure.use(({ ctx, next }) => {
  try {
    refuseForeignPage(ctx);
  } catch (refusal) {
    throw toTrpcError(toServiceError(refusal));
  }
  return next();
});

/** @throws `forbidden` for an anonymous caller whom a page of another site makes ask. Source: contract §3; security T14. */
export function refuseForeignPage({ caller, isForeignPage = false }: Context): void {
  if (caller.kind === 'anonymous' && isForeignPage)
    throw new ServiceError('forbidden', 'A page of another site cannot deploy without a credential.');
}

/** A procedure whose row names accounts only: its caller is one. */
export const accountProcedure = procedure.use(({ ctx, next }) => {
  if (ctx.caller.kind !== 'account')
    throw toTrpcError(new ServiceError('authentication_failed', 'This needs a credential.'));
  return next({ ctx: { caller: ctx.caller } });
});
