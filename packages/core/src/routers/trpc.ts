import { type DeployLimits, PROOF_SECONDS } from '@berth/contract';
import { initTRPC } from '@trpc/server';
import { z } from 'zod';
import type { JsonBounds } from '../bounded-json.ts';
import { type AccountCaller, type Browser, type Caller, clientOf, type Core, type Scope } from '../core.ts';
import { ServiceError } from '../errors.ts';
import { inFairTurn } from '../fair-turns.ts';
import { requireActiveAccount } from '../services/inactive-account.ts';
import { runQueued } from '../services/run-queued.ts';
import { type Actor, mayCall, needsActiveAccount, needsProof } from './access.ts';
import { toErrorBody, toServiceError, toTrpcError } from './error-body.ts';

/** The context of every procedure. All calls of a batch share one context, so calls must not change the context. */
export interface ProcedureContext {
  core: Core;
  caller: Caller;
  requestId: string;
  /** The browser, if a page of the console sent the request. */
  browser?: Browser;
  /** The `Idempotency-Key` of the request, unchanged. Absent if the request has none. */
  idempotencyKey?: string;
  /** Whether a browser sent the request from a page of another site. Default: false. */
  isForeignPage?: boolean;
  /** Reports the id of the event after which a subscription starts, so that a client without any event can resume. */
  beginAfter?: (eventId: string) => void;
  /** Called by a procedure with `creates` when it has created something. REST then responds with 201. */
  onCreated?: () => void;
}

interface OpenApiMeta {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  path: `/${string}`;
  summary: string;
  description?: string;
  tags: string[];
  deprecated?: boolean;
  /** Present if the operation supports `Idempotency-Key`. */
  keyed?: true;
  successDescription?: string;
  /** The descriptions of the error responses that only this operation has, by status. */
  errorResponses?: Record<number, string>;
}

interface RestMeta {
  /** The status on success. Default: 200. */
  status?: number;
  /**
   * Returns the maximum size of a JSON body that depends on the plan of the caller. Such a body may take as long to arrive as
   * an upload. Default: the maximum of all calls.
   */
  bodySize?: (limits: DeployLimits) => Pick<JsonBounds, 'maxBytes' | 'maxValues'>;
  /** Present if the status of a success is 201 after the procedure called `onCreated`. */
  creates?: true;
  /** The path to which REST redirects with 301, without calling the procedure. */
  redirect?: `/${string}`;
  /** The subscription whose events REST sends to clients that prefer `text/event-stream` to JSON. */
  events?: string;
}

/** The description of a procedure for REST and the OpenAPI document. */
export interface ProcedureMeta extends RestMeta, Record<string, unknown> {
  openapi?: OpenApiMeta;
}

/** The maximum number of concurrent queries of one client, so that no client can take all connections to the database. */
const QUERIES_AT_ONCE = 2;
/** The interval of the pings on an idle event stream. */
export const EVENT_PING_MS = 15_000;
/** Clients that lose the connection of an event stream reconnect after this time. */
export const EVENT_RETRY_MS = 1_000;

/** The input of an operation without parameters. */
export const NoInput = z.object({}).optional();

const t = initTRPC
  .context<ProcedureContext>()
  .meta<ProcedureMeta>()
  .create({
    isDev: false,
    sse: {
      ping: { enabled: true, intervalMs: EVENT_PING_MS },
      client: { reconnectAfterInactivityMs: 3 * EVENT_PING_MS },
    },
    errorFormatter: ({ shape, error, ctx }) => {
      const body = toErrorBody(toServiceError(error), ctx?.requestId ?? '');
      return { ...shape, message: body.message, data: { ...body, httpStatus: body.status, path: shape.data.path } };
    },
  });

/**
 * Throws `authentication_failed` or `forbidden` unless a caller may call an operation. The error has `details` if a person who
 * is signed in must first prove who they are. Source: api §10, §13; security T21, T46.
 */
export function requireActor(operation: string, { core, caller }: Scope<Caller>): void {
  const actor: Actor = caller.kind === 'anonymous' ? 'anonymous' : caller.credential;
  if (mayCall(operation, actor)) {
    if (needsActiveAccount(operation)) requireActiveSession(caller);
    if (needsProof(operation)) requireProof({ core, caller });
    if (actor !== 'anonymous' || core.anonymousDeploys || !operation.startsWith('deployments.')) return;
    throw new ServiceError(
      'forbidden',
      'This server accepts no anonymous deploys. Send a credential: "Authorization: Bearer <API key or deploy token>".',
    );
  }
  throw refusalOf(actor);
}

function refusalOf(actor: Actor): ServiceError {
  switch (actor) {
    case 'anonymous':
      return new ServiceError(
        'authentication_failed',
        'A credential is needed: send "Authorization: Bearer <API key>".',
      );
    case 'deploy':
      return new ServiceError(
        'forbidden',
        'A deploy token may deploy, read the limits and ping; use an API key for this.',
      );
    case 'api':
      return new ServiceError('forbidden', 'Only a person who is signed in to the console can do this.');
    case 'session':
      return new ServiceError('forbidden', 'This needs an API key: send "Authorization: Bearer <API key>".');
    default:
      return actor satisfies never;
  }
}

/** @throws `forbidden` for the session of an account that is suspended or terminated. Source: api §6, §13. */
function requireActiveSession(caller: Caller): void {
  if (caller.kind === 'account' && caller.session) requireActiveAccount(caller.session.standing);
}

function requireProof({ core, caller }: Scope<Caller>): void {
  if (caller.kind !== 'account' || caller.session === undefined) return;
  if (core.now().getTime() - caller.session.proved.getTime() < PROOF_SECONDS * 1000) return;
  throw new ServiceError('forbidden', 'Prove first that it is you, for example with a passkey or your password.', {
    details: { prove: true },
  });
}

/** Returns a caller that is an account. @throws `authentication_failed` for another caller. */
export function requireAccount(caller: Caller): AccountCaller {
  if (caller.kind !== 'account') throw new ServiceError('authentication_failed', 'A credential is needed.');
  return caller;
}

const accessGuard = t.middleware(async ({ ctx, path, type, next }) => {
  try {
    requireActor(path, ctx);
  } catch (error) {
    throw toTrpcError(error as ServiceError);
  }
  const { core, caller } = ctx;
  const client = clientOf(caller);
  const result = await core.tracer.step(path, async () =>
    type === 'query' ? runQueued(core, `query:${client}`, () => inFairTurn(client, next), QUERIES_AT_ONCE) : next(),
  );
  if (!result.ok) throw toTrpcError(toServiceError(result.error));
  return result;
});

export const router = t.router;
export const createCallerFactory = t.createCallerFactory;

/** A procedure that the actors in its row of {@link OPERATION_ACCESS} may call. */
export const procedure = t.procedure.use(accessGuard);

/**
 * A procedure that publishes. A page of another site cannot make its visitors deploy anonymously, because the page could claim
 * the deployment.
 *
 * @throws `forbidden`. Source: api §3; security T14.
 */
export const deployProcedure = procedure.use(({ ctx, next }) => {
  refuseForeignPage(ctx);
  return next();
});

/** @throws `forbidden` if a page of another site sends the request without a credential. Source: api §3; security T14. */
export function refuseForeignPage({ caller, isForeignPage = false }: ProcedureContext): void {
  if (caller.kind === 'anonymous' && isForeignPage)
    throw new ServiceError('forbidden', 'A page of another site must send a credential to deploy.');
}

/** A procedure whose caller is always an account. */
export const accountProcedure = procedure.use(({ ctx, next }) => next({ ctx: { caller: requireAccount(ctx.caller) } }));

/**
 * A procedure for pages of the console.
 *
 * @throws `forbidden` if another client sends the request. Source: api §13; security T43.
 */
export const browserProcedure = procedure.use(({ ctx, next }) => {
  if (ctx.browser === undefined)
    throw new ServiceError('forbidden', 'Only pages of the console can send this request.');
  return next({ ctx: { browser: ctx.browser } });
});

/** A procedure that signs a person in. @throws `forbidden` if the browser cannot keep a session. Source: api §13. */
export const signInProcedure = browserProcedure.use(({ ctx, next }) => {
  if (ctx.browser.refusal !== null) throw new ServiceError('forbidden', ctx.browser.refusal);
  return next();
});

/** A procedure for a person who is signed in. Source: api §13. */
export const sessionProcedure = browserProcedure.use(({ ctx, next }) => {
  const caller = requireAccount(ctx.caller);
  const { member, session } = caller;
  if (session === undefined || member === null) throw new ServiceError('authentication_failed', 'Sign in first.');
  return next({ ctx: { caller: { ...caller, member, session } } });
});

/** The description of an operation besides its route and summary. `success` describes the success response. */
interface OperationOptions
  extends RestMeta, Pick<OpenApiMeta, 'description' | 'deprecated' | 'keyed' | 'errorResponses'> {
  success?: string;
}

/** Returns a function that begins a procedure of one tag with the method and path of its operation, and a summary. */
export function operations<P extends { meta(meta: ProcedureMeta): P }>(tag: string, base: P) {
  return (
    route: `${OpenApiMeta['method']} ${OpenApiMeta['path']}`,
    summary: string,
    { status, bodySize, creates, redirect, events, success: successDescription, ...details }: OperationOptions,
  ): P => {
    const [method, path] = route.split(' ') as [OpenApiMeta['method'], OpenApiMeta['path']];
    const openapi = { method, path, summary, tags: [tag], successDescription, ...details };
    return base.meta({ openapi, status, bodySize, creates, redirect, events });
  };
}
