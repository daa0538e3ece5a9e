import { appRouter, type ProcedureContext, type Log, type ProcedureMeta, ServiceError } from '@berth/core';
import { ERROR_STATUS, type ErrorCode } from '@berth/contract';
import { ask, listen as listenOn, stop } from '@berth/testing/raw-socket';
import { initTRPC } from '@trpc/server';
import express, { type RequestHandler } from 'express';
import { z } from 'zod';
import { showRequestId } from '../../src/http/request-id.ts';
import { createHttpServer } from '../../src/http/server.ts';
import { restRouter } from '../../src/api-host/rest.ts';
import { trpcRouter } from '../../src/api-host/trpc.ts';
import { callsOf } from '../../src/api-host/trpc-calls.ts';

const t = initTRPC
  .context<ProcedureContext>()
  .meta<ProcedureMeta>()
  .create({ isDev: false, errorFormatter: appRouter._def._config.errorFormatter });
const echo = z.object({ input: z.unknown() });
const nothing = z.object({}).optional();
const thing = z.object({ thing: z.string() });

type Route = NonNullable<ProcedureMeta['openapi']>;

/** A procedure with a route. */
const route = (method: Route['method'], path: Route['path'], more: Omit<ProcedureMeta, 'openapi'> = {}) =>
  t.procedure.meta({ openapi: { method, path, summary: `${method} ${path}`, tags: ['Things'] }, ...more });

/** A message full of secrets, as an unexpected exception may have. */
export const CRASH = `connect postgres://berth:hunter2@10.0.0.7/berth ship-${'a'.repeat(32)} at /srv/berth/query.ts: SELECT 1`;

/** Observes `things.wait`, which ends when its client leaves. */
export const waiting = { started: Promise.withResolvers<void>(), aborted: Promise.withResolvers<void>() };

/** A message that contains two secrets and the name of a file, which is not a secret. */
const LEAKY = `ship-${'0'.repeat(32)} opened http://localhost:4000/claim/${'f'.repeat(32)} and assets/${'e'.repeat(32)}.js`;

const things = t.router({
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
    .output(echo)
    .query(({ input }) => ({ input })),
  get: route('GET', '/things/{thing}')
    .input(thing)
    .output(echo)
    .query(({ input }) => ({ input })),
  latest: route('GET', '/things/latest')
    .input(nothing)
    .output(echo)
    .query(() => ({ input: 'the latest' })),
  update: route('PATCH', '/things/{thing}')
    .input(thing.extend({ labels: z.array(z.string()), count: z.int().optional(), deep: z.unknown().optional() }))
    .output(echo)
    .mutation(({ input }) => ({ input })),
  delete: route('DELETE', '/things/{thing}', { status: 202 })
    .input(thing)
    .output(echo)
    .mutation(({ input }) => ({ input })),
  check: route('POST', '/things/check')
    .input(z.object({ name: z.string().optional() }))
    .input(z.object({ count: z.int().optional() }))
    .output(echo)
    .mutation(({ input }) => ({ input })),
  put: route('PUT', '/things/{thing}', { status: 201 })
    .input(thing)
    .output(echo)
    .mutation(({ input }) => ({ input })),
  old: route('GET', '/old', { status: 301, redirect: '/things' })
    .input(nothing)
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
    .output(echo)
    .mutation(({ input }) => {
      throw new ServiceError(input.code, LEAKY, { retryAfterSeconds: input.retryAfter });
    }),
  crash: route('GET', '/crash')
    .input(nothing)
    .output(echo)
    .query(() => {
      throw new Error(CRASH);
    }),
  misfit: route('GET', '/misfit')
    .input(nothing)
    .output(z.object({ n: z.int() }))
    .query(() => ({ n: CRASH as unknown as number })),
  unicode: route('GET', '/unicode')
    .input(nothing)
    .output(z.object({ text: z.string() }))
    .query(() => ({ text: 'häfen ⚓ 港 \u2028 </script>' })),
  wait: route('GET', '/wait')
    .input(nothing)
    .output(echo)
    .query(async ({ signal }) => {
      waiting.started.resolve();
      await new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));
      waiting.aborted.resolve();
      signal?.throwIfAborted();
      return { input: null };
    }),
  watch: t.procedure.subscription(async function* () {
    yield 'first';
    throw new Error(CRASH);
  }),
});

const sampleRouter = t.router({ things });

interface LogLine {
  level: 'info' | 'warn' | 'error';
  fields: { err?: Error; requestId?: string; operation?: string };
}

/** The context of every sample call; `Bearer bad` is an invalid credential, `Bearer crash` causes an internal error. */
function sampleContext(authorization: string | undefined): ProcedureContext {
  if (authorization === 'Bearer bad') throw new ServiceError('authentication_failed', 'The credential is not valid.');
  if (authorization === 'Bearer crash') throw new Error(CRASH);
  const caller: ProcedureContext['caller'] = { kind: 'anonymous', address: '127.0.0.1' };
  return { core: {} as ProcedureContext['core'], caller, requestId: 'req-1' };
}

/** Starts a server with REST and tRPC over the sample router, or with the given handlers before them. */
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
  app.use(restRouter(sampleRouter, createContext, log));

  const server = createHttpServer((req, res) => app(req, res), { log });
  const port = await listenOn(server);
  return {
    url: `http://127.0.0.1:${port}`,
    lines,
    /** For each context that was created: the number of calls it was created for. */
    calls,
    /** Sends a request byte for byte, by default without headers and body. */
    ask: (requestLine: string, headers = ['Host: x'], body?: string) => ask(port, requestLine, headers, body),
    close: () => stop(server),
  };
}

export type SampleApi = Awaited<ReturnType<typeof listen>>;
