import { appRouter, type Log, type ProcedureContext, type ProcedureMeta, ServiceError } from '@berth/core';
import { ERROR_STATUS, type ErrorCode } from '@berth/contract';
import { listen as listenOn, rawRequest, stop } from '@berth/testing/raw-socket';
import { initTRPC } from '@trpc/server';
import express, { type RequestHandler } from 'express';
import { z } from 'zod';
import { showRequestId } from '../../src/http/request-id.ts';
import { createHttpServer } from '../../src/http/server.ts';
import { createRestApi } from '../../src/api-host/rest.ts';
import { handleErrors } from '../../src/api-host/errors.ts';
import { trpcRouter } from '../../src/api-host/trpc.ts';
import { callsOf } from '../../src/api-host/trpc-calls.ts';

const trpc = initTRPC
  .context<ProcedureContext>()
  .meta<ProcedureMeta>()
  .create({ isDev: false, errorFormatter: appRouter._def._config.errorFormatter });
const echoOutput = z.object({ input: z.unknown() });
const optionalInput = z.object({}).optional();
const thingInput = z.object({ thing: z.string() });

type Route = NonNullable<ProcedureMeta['openapi']>;

const route = (method: Route['method'], path: Route['path'], otherMeta: Omit<ProcedureMeta, 'openapi'> = {}) =>
  trpc.procedure.meta({ openapi: { method, path, summary: `${method} ${path}`, tags: ['Things'] }, ...otherMeta });

/** Message of an unexpected exception that contains secrets. */
export const CRASH = `connect postgres://berth:hunter2@10.0.0.7/berth ship-${'a'.repeat(32)} at /srv/berth/query.ts: SELECT 1`;

/** Resolves while `things.wait` runs: `started` when the procedure begins, `aborted` when the client leaves. */
export const waitingCall = { started: Promise.withResolvers<void>(), aborted: Promise.withResolvers<void>() };

/** Message that contains two secrets, and a file name that is not a secret. */
const LEAKY = `ship-${'0'.repeat(32)} opened http://localhost:4000/claim/${'f'.repeat(32)} and assets/${'e'.repeat(32)}.js`;

const thingsRouter = trpc.router({
  list: route('GET', '/things')
    .input(
      z.object({
        limit: z
          .int('limit is a whole number')
          .min(1)
          .default(50)
          .transform((limit) => Math.min(limit, 100)),
        archived: z.boolean().optional(),
        ratio: z.number().optional(),
        q: z.string().optional(),
        labels: z.array(z.string()).optional(),
        sizes: z.array(z.int()).optional(),
      }),
    )
    .output(echoOutput)
    .query(({ input }) => ({ input })),
  get: route('GET', '/things/{thing}')
    .input(thingInput)
    .output(echoOutput)
    .query(({ input }) => ({ input })),
  latest: route('GET', '/things/latest')
    .input(optionalInput)
    .output(echoOutput)
    .query(() => ({ input: 'the latest' })),
  update: route('PATCH', '/things/{thing}')
    .input(thingInput.extend({ labels: z.array(z.string()), count: z.int().optional(), deep: z.unknown().optional() }))
    .output(echoOutput)
    .mutation(({ input }) => ({ input })),
  delete: route('DELETE', '/things/{thing}', { status: 202 })
    .input(thingInput)
    .output(echoOutput)
    .mutation(({ input }) => ({ input })),
  check: route('POST', '/things/check')
    .input(z.object({ name: z.string().optional() }))
    .input(z.object({ count: z.int().optional() }))
    .output(echoOutput)
    .mutation(({ input }) => ({ input })),
  put: route('PUT', '/things/{thing}', { status: 201 })
    .input(thingInput)
    .output(echoOutput)
    .mutation(({ input }) => ({ input })),
  old: route('GET', '/old', { status: 301, redirect: '/things' })
    .input(optionalInput)
    .output(z.object({ location: z.string() }))
    .query(() => {
      throw new Error('A redirect does not call its procedure.');
    }),
  refuse: route('POST', '/refusals/{code}')
    .input(
      z.object({
        code: z.enum(Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]]),
        retryAfter: z.number().optional(),
      }),
    )
    .output(echoOutput)
    .mutation(({ input }) => {
      throw new ServiceError(input.code, LEAKY, { retryAfterSeconds: input.retryAfter });
    }),
  crash: route('GET', '/crash')
    .input(optionalInput)
    .output(echoOutput)
    .query(() => {
      throw new Error(CRASH);
    }),
  misfit: route('GET', '/misfit')
    .input(optionalInput)
    .output(z.object({ n: z.int() }))
    .query(() => ({ n: CRASH as unknown as number })),
  unicode: route('GET', '/unicode')
    .input(optionalInput)
    .output(z.object({ text: z.string() }))
    .query(() => ({ text: 'häfen ⚓ 港 \u2028 </script>' })),
  wait: route('GET', '/wait')
    .input(optionalInput)
    .output(echoOutput)
    .query(async ({ signal }) => {
      waitingCall.started.resolve();
      await new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));
      waitingCall.aborted.resolve();
      signal?.throwIfAborted();
      return { input: null };
    }),
  watch: trpc.procedure.subscription(async function* () {
    yield 'first';
    throw new Error(CRASH);
  }),
});

const sampleRouter = trpc.router({ things: thingsRouter });

interface LogLine {
  level: 'info' | 'warn' | 'error';
  fields: { err?: Error; requestId?: string; operation?: string };
}

/** `Bearer bad` is an invalid credential, and `Bearer crash` causes an internal error. */
function sampleContext(authorization: string | undefined): ProcedureContext {
  if (authorization === 'Bearer bad') throw new ServiceError('authentication_failed', 'The credential is not valid.');
  if (authorization === 'Bearer crash') throw new Error(CRASH);
  const caller: ProcedureContext['caller'] = { kind: 'anonymous', address: '127.0.0.1' };
  return { core: {} as ProcedureContext['core'], caller, requestId: 'req-1' };
}

/** Starts a server with REST and tRPC over the sample router. The given handlers run first. */
export async function listen(...handlers: RequestHandler[]) {
  const lines: LogLine[] = [];
  const calls: number[] = [];
  const write = (level: LogLine['level']) => (fields: object) => void lines.push({ level, fields });
  const log: Log = { info: write('info'), warn: write('warn'), error: write('error') };
  const createContext = (req: express.Request) => {
    calls.push(callsOf(req.originalUrl) ?? 1);
    return sampleContext(req.headers.authorization);
  };
  const app = express().use(showRequestId);
  app.disable('x-powered-by');
  if (handlers.length > 0) app.use(...handlers);
  app.use(trpcRouter(sampleRouter, createContext, log));
  const rest = createRestApi(sampleRouter, createContext, log);
  app.use(rest.operations, rest.unknown, handleErrors(log));

  const server = createHttpServer((req, res) => app(req, res), { log });
  const port = await listenOn(server);
  return {
    url: `http://127.0.0.1:${port}`,
    lines,
    /** The number of calls of each request for which a context was created. */
    calls,
    rawRequest: (requestLine: string, headers = ['Host: x'], body?: string) =>
      rawRequest(port, requestLine, headers, body),
    close: () => stop(server),
  };
}

export type SampleApi = Awaited<ReturnType<typeof listen>>;
