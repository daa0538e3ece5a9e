import type { DeployLimits } from '@berth/contract';
import { initTRPC } from '@trpc/server';
import { z } from 'zod';
import type { JsonBounds } from '../bounded-json.ts';
import { type Caller, clientOf, type Core } from '../core.ts';
import { ServiceError } from '../errors.ts';
import { inFairTurn } from '../fair-turns.ts';
import { runQueued } from '../services/run-queued.ts';
import { type Actor, mayCall } from './access.ts';
import { toErrorBody, toServiceError, toTrpcError } from './error-body.ts';

/** The context of every procedure. All calls of a batch share one context, so calls must not change it. */
export interface ProcedureContext {
  core: Core;
  caller: Caller;
  requestId: string;
  /** The `Idempotency-Key` of the request, unchanged. Absent if the request has none. */
  idempotencyKey?: string;
  /** True if the request comes from a browser on a site other than the console. Default: false. */
  isForeignPage?: boolean;
  /**
   * Reports the position after which a subscription starts, so that the client can resume there if the connection drops
   * before the first event. Absent if the transport cannot drop.
   */
  beginAfter?: (eventId: string) => void;
  /** Called by a procedure with `creates` when it has created something. REST then answers 201; tRPC ignores it. */
  onCreated?: () => void;
}

/** How the OpenAPI document describes an operation. */
interface OpenApiMeta {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  path: `/${string}`;
  summary: string;
  description?: string;
  tags: string[];
  deprecated?: boolean;
  /** True if the operation supports `Idempotency-Key`. */
  keyed?: true;
  /** The description of the success response. */
  successDescription?: string;
  /**
   * Descriptions of the error responses, by status. Errors that follow from the access table, from the input or from
   * being an operation are described elsewhere.
   */
  errorResponses?: Record<number, string>;
}

/** How REST calls a procedure. */
interface RestMeta {
  /** The status on success. Default: 200. */
  status?: number;
  /**
   * The maximum size of the JSON body, where it depends on the limits of the caller's plan. The body may then take as
   * long as an upload to arrive. Default: the maximum of all calls.
   */
  bodySize?: (limits: DeployLimits) => Pick<JsonBounds, 'maxBytes' | 'maxValues'>;
  /** Success can also be a 201, if the call created something and called `onCreated` of its context. */
  creates?: true;
  /** REST answers 301 to this path and does not call the procedure. */
  redirect?: `/${string}`;
}

/** The description of a procedure for REST and the OpenAPI document. */
export interface ProcedureMeta extends RestMeta, Record<string, unknown> {
  openapi?: OpenApiMeta;
}

/** How many queries of one client run at once in this process, so that it cannot take all connections to the database. */
const QUERIES_AT_ONCE = 4;
/** The interval of the pings on an idle event stream. */
const PING_MS = 15_000;

/** The input of an operation that takes none. */
export const NoInput = z.object({}).optional();

const t = initTRPC
  .context<ProcedureContext>()
  .meta<ProcedureMeta>()
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

/** Checks the access table, queues queries, and converts every error of the procedure to a `ServiceError`. */
const guard = t.middleware(async ({ ctx, path, type, next }) => {
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
  const { core, caller } = ctx;
  const result =
    type === 'query'
      ? await runQueued(core, `query:${clientOf(caller)}`, () => inFairTurn(next), QUERIES_AT_ONCE)
      : await next();
  if (!result.ok) throw toTrpcError(toServiceError(result.error));
  return result;
});

export const router = t.router;
export const createCallerFactory = t.createCallerFactory;

/** A procedure that the actors in its row of the access table may call. */
export const procedure = t.procedure.use(guard);

/**
 * A procedure that publishes. A page of another site cannot make its visitors deploy anonymously: otherwise that page
 * could claim the deployment.
 *
 * @throws `forbidden`. Source: api §3; security T14.
 */
export const deployProcedure = procedure.use(({ ctx, next }) => {
  refuseForeignPage(ctx);
  return next();
});

/**
 * @throws `forbidden` if a page of another site sends the request without a credential. Source: api §3; security T14.
 */
export function refuseForeignPage({ caller, isForeignPage = false }: ProcedureContext): void {
  if (caller.kind === 'anonymous' && isForeignPage)
    throw new ServiceError('forbidden', 'A page of another site must send a credential to deploy.');
}

/** A procedure for accounts only. Its caller is always an account. */
export const accountProcedure = procedure.use(({ ctx, next }) => {
  if (ctx.caller.kind !== 'account') throw new ServiceError('authentication_failed', 'This needs a credential.');
  return next({ ctx: { caller: ctx.caller } });
});

/** What describes an operation besides its route and summary. `success` describes the success response. */
interface OperationOptions
  extends RestMeta, Pick<OpenApiMeta, 'description' | 'deprecated' | 'keyed' | 'errorResponses'> {
  success?: string;
}

/**
 * Describes procedures for REST and for one tag of the OpenAPI document.
 *
 * @returns A function that begins a procedure from the method and path of its operation, and a summary.
 */
export function operations<P extends { meta(meta: ProcedureMeta): P }>(tag: string, base: P) {
  return (
    route: `${OpenApiMeta['method']} ${OpenApiMeta['path']}`,
    summary: string,
    { status, bodySize, creates, redirect, success: successDescription, ...details }: OperationOptions,
  ): P => {
    const [method, path] = route.split(' ') as [OpenApiMeta['method'], OpenApiMeta['path']];
    const openapi = { method, path, summary, tags: [tag], successDescription, ...details };
    return base.meta({ openapi, status, bodySize, creates, redirect });
  };
}
