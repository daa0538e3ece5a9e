import { abortedError, ClientError, type ClientErrorKind, errorText, issuesOf } from '@berth/client';
import { duration } from '@berth/client/amounts';
import { kindOfCredential } from '@berth/contract';
import { UsageError } from '@berth/terminal';
import { EXIT_OF_KIND } from './exit-codes.ts';
import type { SettingOrigin } from './settings.ts';

/** A failure as it is printed: its message, other invalid files, and the next step for people, `{ "error": … }` for programs. */
export type Failure = ReturnType<typeof failureOf>;

/** The user answered a question with no. */
export class Declined extends Error {
  constructor() {
    super('Nothing was changed');
    this.name = 'Declined';
  }
}

/** Some checks of `berth check` failed. The command has printed them. */
export class ChecksFailed extends Error {
  readonly kind: ClientErrorKind;

  constructor(kind: ClientErrorKind, message: string) {
    super(message);
    this.name = 'ChecksFailed';
    this.kind = kind;
  }
}

/** The server and the key that a command uses, for error messages; `null` while they are unknown. */
export interface ErrorContext {
  server: URL | null;
  key: { from: SettingOrigin | 'login'; key: string | null } | null;
  /** Whether the command publishes an archive. */
  isArchive?: boolean;
}

const UNEXPECTED_HINT = 'To check the server, the key and this program: berth check';

/** Converts anything thrown to a failure that says what to do next. */
export function failureOf(thrown: unknown, errorContext: ErrorContext) {
  const error = thrown instanceof Error && thrown.name === 'AbortError' ? abortedError(thrown) : thrown;
  const clientError = error instanceof ClientError ? error : null;
  const kind = clientError ? kindOf(clientError, errorContext) : kindOfOther(error);
  return {
    exit: EXIT_OF_KIND[kind],
    kind,
    code: clientError?.code ?? null,
    status: clientError?.status ?? null,
    message: errorText(clientError ? messageOf(clientError, errorContext) : error),
    /** What the user can do about the failure. */
    next: clientError ? nextStep(clientError, errorContext) : kind === 'unexpected' ? UNEXPECTED_HINT : null,
    /** The path, inside the folder, of the file that the error is about. */
    file: clientError?.file ?? null,
    retryAfterSeconds: clientError?.retryAfterSeconds ?? null,
    details: clientError?.details ?? null,
  };
}

function kindOfOther(error: unknown): ClientErrorKind | 'usage' | 'unexpected' {
  if (error instanceof ChecksFailed) return error.kind;
  if (error instanceof UsageError) return 'usage';
  return error instanceof Declined ? 'aborted' : 'unexpected';
}

/** Distinguishes a key that must not do this (`forbidden`) from a missing or invalid key (`signed-out`). */
function kindOf({ kind, status }: ClientError, { key }: ErrorContext): ClientErrorKind | 'forbidden' {
  return kind === 'signed-out' && status !== 401 && key?.from !== 'default' ? 'forbidden' : kind;
}

/** Returns the message for a command that needs a key and has none. */
export function notSignedIn(server: URL): string {
  return `You are not signed in to ${server.origin}`;
}

function messageOf({ kind, status, message }: ClientError, { server, key }: ErrorContext): string {
  if (kind === 'aborted') return 'Interrupted';
  if (status !== 401 || !server) return message;
  if (key?.from === 'login') return `${server.origin} does not accept this key`;
  return key?.from === 'default' ? notSignedIn(server) : message;
}

function nextStep(error: ClientError, context: ErrorContext): string | null {
  const { kind, code, status, file, retryAfterSeconds, details } = error;
  switch (kind) {
    case 'network':
      return (
        context.server &&
        `Is a Berth server running at ${context.server.origin}? To use another server, set --server or BERTH_SERVER. To find out more: berth check`
      );
    case 'unavailable':
      return `Try again ${retryAfterSeconds === null ? 'in a moment' : `in ${duration(retryAfterSeconds)}`}.`;
    case 'signed-out':
      return kindOf(error, context) === 'signed-out' ? signInHint(context) : permissionHint(details, context);
    case 'refused':
      if (status !== null && status < 400) return redirectHint(details);
      if (file !== null && context.isArchive) return `Change ${file}, or leave it out of the archive.`;
      if (file !== null) return fileHint('Change', file, error);
      if (status === 404 && context.server !== null && context.server.pathname !== '/') return pathHint(context.server);
      if (status === 404) return missingHint(error.message);
      return code === 'payload_too_large' ? 'To see the limits of your plan: berth account' : null;
    case 'folder':
      return file === null ? null : fileHint('Fix', file, error);
    case 'server':
      return 'See the log of the server for details.';
    case 'aborted':
      return null;
    default:
      return kind satisfies never;
  }
}

function fileHint(verb: 'Change' | 'Fix', file: string, error: ClientError): string {
  return issuesOf(error).length > 1
    ? `${verb} these files, or exclude them with lines in .berthignore.`
    : `${verb} ${file}, or exclude it with a line in .berthignore.`;
}

/** Returns the hint for a server address with a path, such as the address of a site or of the reference. */
function pathHint({ origin, pathname }: URL): string {
  return `Is there a Berth server below ${pathname}? Otherwise use --server ${origin}`;
}

/** Returns how to list the things of the kind that was not found. */
function missingHint(message: string): string | null {
  const [, kind] = /^There is no such (deployment|domain|token)\b/.exec(message) ?? [];
  return kind === undefined ? null : `To list what exists: berth ${kind}s`;
}

function redirectHint(details: unknown): string | null {
  const { server } = Object(details) as { server?: unknown };
  return typeof server === 'string' ? `Use --server ${server}` : null;
}

function signInHint({ key }: ErrorContext): string {
  switch (key?.from) {
    case 'environment':
      return 'The key in BERTH_KEY is not valid for this server. Set another key, or unset it to use the stored key.';
    case 'login':
      return 'A key is valid for one server only. Set that server with --server.';
    case 'settings':
      return 'The stored key is no longer valid for this server. Sign in again: berth login';
    default:
      return 'Sign in with berth login, or set BERTH_KEY.';
  }
}

function permissionHint(details: unknown, { key }: ErrorContext): string | null {
  const { cap } = Object(details) as { cap?: unknown };
  if (cap === 'deployments' || cap === 'storage')
    return 'Delete old deployments with berth prune, or ask for a larger plan. To see your plan: berth account';
  if (cap !== undefined) return 'Delete something, or ask for a larger plan. To see your plan: berth account';
  return kindOfCredential(key?.key ?? '') === 'deploy'
    ? 'A deploy token can only deploy. Use an API key instead.'
    : null;
}
