import { abortedError, ClientError } from '@berth/client';
import { duration } from '@berth/client/amounts';
import { kindOfCredential } from '@berth/contract';
import { UsageError } from '@berth/terminal';
import { EXIT, type ExitCode, exitCodeOf } from './exit-codes.ts';
import type { SettingOrigin } from './settings.ts';

/** A failure as it is printed: two lines for people, `{ "error": … }` for programs. */
export interface Failure {
  exit: ExitCode;
  kind: string;
  code: string | null;
  status: number | null;
  message: string;
  /** What to do about it. */
  next: string | null;
  /** The file that the error is about: its path in the folder. */
  file: string | null;
  retryAfterSeconds: number | null;
  details: unknown;
}

/** What a command was doing, as far as it is known. */
export interface ErrorContext {
  server: URL | null;
  key: { from: SettingOrigin | 'login'; key: string | null } | null;
}

/** Converts anything thrown to a failure that says what to do next. */
export function failureOf(thrown: unknown, errorContext: ErrorContext): Failure {
  if (thrown instanceof ClientError) {
    const { kind, code, status, file, retryAfterSeconds, details } = thrown;
    return {
      exit: exitCodeOf(kind),
      kind,
      code,
      status,
      message: sentence(messageOf(thrown, errorContext)),
      next: nextStep(thrown, errorContext),
      file,
      retryAfterSeconds,
      details: details ?? null,
    };
  }
  const { name, message, code } = Object(thrown) as NodeJS.ErrnoException;
  if (name === 'AbortError') return failureOf(abortedError(thrown), errorContext);
  const isUsage = thrown instanceof UsageError;
  return {
    exit: isUsage ? EXIT.usage : EXIT.unexpected,
    kind: isUsage ? 'usage' : 'unexpected',
    code: null,
    status: null,
    message: sentence(message || `The command failed: ${code ?? 'unknown error'}`),
    next: null,
    file: null,
    retryAfterSeconds: null,
    details: null,
  };
}

/** Returns the message for a command without a key. */
export function notSignedIn(server: URL): string {
  return `You are not signed in to ${server.origin}`;
}

function messageOf({ kind, status, message }: ClientError, { server, key }: ErrorContext): string {
  if (kind === 'aborted') return 'Interrupted';
  if (status !== 401 || !server) return message;
  if (key?.from === 'login') return `${server.origin} does not accept this key`;
  return key?.from === 'default' ? notSignedIn(server) : message;
}

function nextStep({ kind, code, status, file, retryAfterSeconds, details }: ClientError, context: ErrorContext) {
  switch (kind) {
    case 'network':
      return (
        context.server &&
        `Is a Berth server running at ${context.server.origin}? To use another one, set --server or BERTH_SERVER.`
      );
    case 'unavailable':
      return `Try again ${retryAfterSeconds === null ? 'in a moment' : `in ${duration(retryAfterSeconds)}`}.`;
    case 'signed-out':
      return status === 401 || context.key?.from === 'default' ? signInHint(context) : permissionHint(details, context);
    case 'refused':
      if (status !== null && status < 400) return redirectHint(details);
      if (file !== null) return `Change ${file}, or exclude it with a line in .berthignore.`;
      return code === 'payload_too_large' ? 'To see the limits of your plan: berth account' : null;
    case 'folder':
      return file === null ? null : `Fix ${file}, or exclude it with a line in .berthignore.`;
    case 'server':
      return 'See the log of the server for details.';
    case 'aborted':
      return null;
    default:
      return kind satisfies never;
  }
}

function redirectHint(details: unknown): string | null {
  const { server } = Object(details) as { server?: unknown };
  return typeof server === 'string' ? `Use --server ${server}` : null;
}

function signInHint({ key }: ErrorContext): string {
  switch (key?.from) {
    case 'environment':
      return 'The key in BERTH_KEY is not valid for this server.';
    case 'login':
      return 'A key is valid for one server only. Set that server with --server.';
    case 'settings':
      return 'The stored key is no longer valid for this server. Sign in again: berth login';
    default:
      return 'Sign in with berth login, or set BERTH_KEY.';
  }
}

function permissionHint(details: unknown, { key }: ErrorContext): string | null {
  if (Object(details).cap !== undefined)
    return 'Delete something, or ask for a larger plan. To see your plan: berth account';
  return kindOfCredential(key?.key ?? '') === 'deploy'
    ? 'A deploy token can only deploy. Use an API key instead.'
    : null;
}

function sentence(text: string): string {
  const clean = text.trim();
  return /[.?!:)]$/.test(clean) ? clean : `${clean}.`;
}
