import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { startAnswering } from '@berth/testing/fake-servers';
import { ERROR_STATUS } from '@berth/contract';

/** All kinds of characters that a terminal acts on: controls, a line break with a forged line, and changes of direction. */
const HOSTILE =
  'x\u001b[2J\u001b]0;title\u0007\u009b31m\u0090\r\nFORGED\t\u007f\u2028FORGED\u202e\u2066\u200f\u061c\u0000';

/** Matches characters of {@link HOSTILE} that must never reach a screen. The line feeds of the program itself are allowed. */
export const CONTROL = /[^\P{Cc}\n]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|^FORGED/mu;

/** These fields stay unchanged, because without them a command ends before it prints anything. */
const UNCHANGED_FIELDS = new Set(['upload', 'missing', 'nextCursor']);

/** How to make a server hostile. */
export interface HostileServerOptions {
  /** Further fields that stay unchanged. */
  kept?: readonly string[];
  /** Answer every request with an error of this status and hostile fields. */
  status?: number;
}

/**
 * Starts a server that answers like another one, with {@link HOSTILE} at the end of each text in its responses and events.
 *
 * @param port The port of the other one. @returns The address of the new one, which is closed after the test.
 */
export function startHostileServer(port: number, { kept = [], status }: HostileServerOptions = {}): Promise<string> {
  const isKept = (field: string) => UNCHANGED_FIELDS.has(field) || kept.includes(field);
  return startAnswering((req, res) => {
    const answered = status === undefined ? forward(port, req, res, isKept) : refuse(status, req, res);
    answered.catch(() => res.destroy());
  });
}

/** Returns a value with {@link HOSTILE} added to each text. Addresses stay valid. */
function withHostileTexts(value: unknown, isKept: (field: string) => boolean): unknown {
  if (typeof value === 'string') return value.startsWith('http') ? `${value}/${HOSTILE}` : value + HOSTILE;
  if (Array.isArray(value)) return value.map((inner) => withHostileTexts(inner, isKept));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([field, inner]) => [field, isKept(field) ? inner : withHostileTexts(inner, isKept)]),
  );
}

async function forward(
  port: number,
  req: IncomingMessage,
  res: ServerResponse,
  isKept: (field: string) => boolean,
): Promise<void> {
  const { method = 'GET', url = '', headers } = req;
  const { host: _, connection: __, 'transfer-encoding': ___, ...sent } = headers as Record<string, string>;
  const body = method === 'GET' ? null : await buffer(req);
  const answer = await fetch(`http://localhost:${port}${url}`, { method, headers: sent, body });
  const type = answer.headers.get('content-type') ?? '';
  res.writeHead(answer.status, { 'Content-Type': type });
  if (!type.startsWith('text/event-stream'))
    return void res.end(JSON.stringify(withHostileTexts(await answer.json(), isKept)));
  for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream()))
    res.write(
      chunk.replace(
        /^data: ([{[].+)$/gm,
        (_, data: string) => `data: ${JSON.stringify(withHostileTexts(JSON.parse(data), isKept))}`,
      ),
    );
}

async function refuse(status: number, req: IncomingMessage, res: ServerResponse): Promise<void> {
  await buffer(req);
  const error = Object.entries(ERROR_STATUS).find(([, value]) => value === status)?.[0];
  const details = { file: HOSTILE, cap: HOSTILE, issues: [{ path: HOSTILE, message: HOSTILE }] };
  const body = { error, message: HOSTILE, status, details };
  const isCall = req.url?.startsWith('/trpc') === true;
  res.writeHead(status, { 'Content-Type': 'application/json', 'Retry-After': '3600' });
  res.end(JSON.stringify(isCall ? { error: { message: HOSTILE, code: -32600, data: body } } : body));
}
