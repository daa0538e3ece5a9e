import { type AddressInfo, connect } from 'node:net';
import { appRouter, type ProcedureContext, type Log, type ProcedureMeta, ServiceError } from '@berth/core';
import { ERROR_STATUS, type ErrorCode } from '@berth/contract';
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
const tags = ['Things'];

/** A message full of secrets, as an unexpected exception may have. */
export const CRASH = `connect postgres://berth:hunter2@10.0.0.7/berth ship-${'a'.repeat(32)} at /srv/berth/query.ts: SELECT 1`;

/** Observes `things.wait`, which ends when its client leaves. */
export const waiting = { started: Promise.withResolvers<void>(), aborted: Promise.withResolvers<void>() };

/** A message that contains two secrets and the name of a file, which is not a secret. */
const LEAKY = `ship-${'0'.repeat(32)} opened http://localhost:4000/claim/${'f'.repeat(32)} and assets/${'e'.repeat(32)}.js`;

const things = t.router({
  list: t.procedure
    .meta({ openapi: { method: 'GET', path: '/things', summary: 'List', tags } })
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
  get: t.procedure
    .meta({ openapi: { method: 'GET', path: '/things/{thing}', summary: 'Read', tags } })
    .input(z.object({ thing: z.string() }))
    .output(echo)
    .query(({ input }) => ({ input })),
  latest: t.procedure
    .meta({ openapi: { method: 'GET', path: '/things/latest', summary: 'Read the latest', tags } })
    .input(z.object({}).optional())
    .output(echo)
    .query(() => ({ input: 'the latest' })),
  update: t.procedure
    .meta({ openapi: { method: 'PATCH', path: '/things/{thing}', summary: 'Change', tags } })
    .input(
      z.object({
        thing: z.string(),
        labels: z.array(z.string()),
        count: z.int().optional(),
        deep: z.unknown().optional(),
      }),
    )
    .output(echo)
    .mutation(({ input }) => ({ input })),
  delete: t.procedure
    .meta({ openapi: { method: 'DELETE', path: '/things/{thing}', summary: 'Delete', tags }, status: 202 })
    .input(z.object({ thing: z.string() }))
    .output(echo)
    .mutation(({ input }) => ({ input })),
  check: t.procedure
    .meta({ openapi: { method: 'POST', path: '/things/check', summary: 'Check', tags } })
    .input(z.object({ name: z.string().optional() }))
    .input(z.object({ count: z.int().optional() }))
    .output(echo)
    .mutation(({ input }) => ({ input })),
  put: t.procedure
    .meta({ openapi: { method: 'PUT', path: '/things/{thing}', summary: 'Put', tags }, status: 201 })
    .input(z.object({ thing: z.string() }))
    .output(echo)
    .mutation(({ input }) => ({ input })),
  old: t.procedure
    .meta({ openapi: { method: 'GET', path: '/old', summary: 'Moved', tags }, status: 301, redirect: '/things' })
    .input(z.object({}).optional())
    .output(z.object({ location: z.string() }))
    .query(() => {
      throw new Error('A redirect does not call its procedure.');
    }),
  refuse: t.procedure
    .meta({ openapi: { method: 'POST', path: '/refusals/{code}', summary: 'Refuse', tags } })
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
  crash: t.procedure
    .meta({ openapi: { method: 'GET', path: '/crash', summary: 'Crash', tags } })
    .input(z.object({}).optional())
    .output(echo)
    .query(() => {
      throw new Error(CRASH);
    }),
  misfit: t.procedure
    .meta({ openapi: { method: 'GET', path: '/misfit', summary: 'Answer what the output schema refuses', tags } })
    .input(z.object({}).optional())
    .output(z.object({ n: z.int() }))
    .query(() => ({ n: CRASH as unknown as number })),
  unicode: t.procedure
    .meta({ openapi: { method: 'GET', path: '/unicode', summary: 'Unicode', tags } })
    .input(z.object({}).optional())
    .output(z.object({ text: z.string() }))
    .query(() => ({ text: 'häfen ⚓ 港 \u2028 </script>' })),
  wait: t.procedure
    .meta({ openapi: { method: 'GET', path: '/wait', summary: 'Wait', tags } })
    .input(z.object({}).optional())
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

export interface LogLine {
  level: 'info' | 'warn' | 'error';
  fields: { err?: Error; requestId?: string; operation?: string };
  message: string;
}

/** The context of every sample call; `Bearer bad` is an invalid credential, `Bearer crash` causes an internal error. */
function sampleContext(authorization: string | undefined): ProcedureContext {
  if (authorization === 'Bearer bad') throw new ServiceError('authentication_failed', 'The credential is not valid.');
  if (authorization === 'Bearer crash') throw new Error(CRASH);
  const credential = authorization === 'Bearer deploy' ? 'deploy' : 'api';
  const caller: ProcedureContext['caller'] = authorization
    ? { kind: 'account', account: 'acc-1', plan: 'free', credential, token: 'a1b2c3d', authMethod: 'api-key' }
    : { kind: 'anonymous', address: '127.0.0.1' };
  return { core: {} as ProcedureContext['core'], caller, requestId: 'req-1' };
}

/** Starts a server with REST and tRPC over the sample router, or with the given handlers before them. */
export async function listen(...handlers: RequestHandler[]) {
  const lines: LogLine[] = [];
  const calls: number[] = [];
  const write = (level: LogLine['level']) => (fields: object, message: string) =>
    void lines.push({ level, fields, message });
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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    log,
    lines,
    /** For each context that was created: the number of calls it was created for. */
    calls,
    /** Sends a request byte for byte and returns the answer until the server closes the connection. */
    raw: async (request: string): Promise<string> => {
      const socket = connect(port, '127.0.0.1');
      let answer = '';
      socket.setEncoding('utf8').on('data', (chunk: string) => void (answer += chunk));
      const closed = new Promise((resolve) => socket.on('error', () => {}).once('close', resolve));
      socket.write(request);
      await closed;
      return answer;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

export type SampleApi = Awaited<ReturnType<typeof listen>>;
