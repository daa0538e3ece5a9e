import { hostname } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { abortedError, type DevicePrompt } from '@berth/client';
import type { Session } from '../session.ts';

const PROGRAM = 'berth-cli';
/** A key that another program pipes in arrives within this time. Only then is a person asked in the browser. */
const PIPE_MS = 1_000;

/**
 * Gets a key for a server: a person approves in the browser, or the key is typed or piped in. What comes first counts.
 *
 * @returns The key, which was not checked; empty if the input was an empty line.
 * @throws ClientError if the person denied it or the code has expired.
 */
export async function obtainKey(session: Session, server: URL): Promise<string> {
  const { terminal, parts, connect } = session;
  const done = new AbortController();
  const signal = AbortSignal.any([session.signal, done.signal]);
  try {
    if (terminal.isInteractive) return await approveOrType(session, server, signal);
    const piped = terminal.readLine(signal);
    const early = await Promise.race([piped, wait(PIPE_MS, null, { signal })]);
    if (early !== null) return early;
    const approved = parts.requestKey({
      client: connect(server, null),
      program: PROGRAM,
      device: hostname(),
      signal,
      onPrompt: (prompt) => terminal.err(describe(prompt)),
    });
    return await firstOf(approved, piped);
  } finally {
    done.abort(abortedError());
  }
}

async function approveOrType({ terminal, parts, connect }: Session, server: URL, signal: AbortSignal): Promise<string> {
  const { promise: prompted, resolve: onPrompt } = Promise.withResolvers<DevicePrompt>();
  const client = connect(server, null);
  const approved = parts.requestKey({ client, program: PROGRAM, device: hostname(), signal, onPrompt });
  const prompt = await Promise.race([prompted, approved.then(() => null)]);
  if (prompt === null) return terminal.ask('API key: ', { secret: true, signal });
  terminal.err(describe(prompt));
  // Without a browser on this machine, the person opens the page on another one.
  void parts.openPage(prompt.pageWithCode).catch(() => {});
  const typed = terminal.ask('Waiting. You can also paste an API key here: ', { secret: true, signal });
  return firstOf(
    approved,
    typed.then((key) => key || null),
  );
}

/** Returns the key of an approval, or a typed one. `null` is no key: then only the other one counts. */
async function firstOf(approved: Promise<string | null>, typed: Promise<string | null>): Promise<string> {
  const key = await Promise.race([approved, typed.then((text) => text ?? approved)]);
  return key ?? (await typed) ?? '';
}

function describe({ page, code }: DevicePrompt): string[] {
  return [`Open ${page} in a browser and enter this code:`, '', `  ${code}`, ''];
}
