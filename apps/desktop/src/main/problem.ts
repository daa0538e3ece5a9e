import { ClientError, issuesOf } from '@berth/client';
import { bytes, count, duration } from '@berth/client/amounts';
import { type SizeLimit, SIZE_LIMITS } from '@berth/contract';
import { z } from 'zod';
import type { Problem } from '../shared/problem.ts';

/** The maximum length of a message. Messages of foreign servers can have any length. */
const MAX_MESSAGE_LENGTH = 600;
/** The maximum total length of the names of refused files in a hint, in characters. */
const MAX_FILE_NAMES_LENGTH = 400;

/**
 * Converts a thrown value to a problem for the user: what went wrong, in which file, and what to do. Errors of the client keep
 * their kind. Input that does not match its schema is `refused`. All other errors are bugs in the app: they become `unexpected` and
 * reveal no internal details.
 *
 * Source: desktop §6, §8.
 */
export function problemOf(thrown: unknown): Problem {
  if (thrown instanceof ClientError) {
    const { kind, file } = thrown;
    return { kind, message: sentence(messageOf(thrown)), next: nextStep(thrown), file };
  }
  if (thrown instanceof z.ZodError) return { kind: 'refused', message: issueOf(thrown), next: null, file: null };
  if (thrown instanceof Error && thrown.name === 'AbortError') return problemOf(abortedError());
  return {
    kind: 'unexpected',
    message: 'Something went wrong in the app.',
    next: 'Try again. If it happens again, restart the app.',
    file: null,
  };
}

/** Replaces any error of `work` by a `refused` error with a message for the user. The original error becomes the `cause`. */
export async function orRefuse<T>(work: Promise<T>, message: string): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    throw new ClientError('refused', message, { cause });
  }
}

/** The error of work that was stopped because the user cancelled it or quit the app. */
export function abortedError(): ClientError {
  return new ClientError('aborted', 'The work was cancelled before it finished.');
}

function messageOf(error: ClientError): string {
  const limit = error.status === 413 ? limitOf(error) : null;
  if (limit) return LIMIT_MESSAGES[limit.limit](limit.max, error.file);
  if (error.status === 401) return 'Your key is not valid.';
  return error.message;
}

const LIMIT_MESSAGES: Record<SizeLimit, (max: number, file: string | null) => string> = {
  maxFileSize: (max, file) => `${file ?? 'A file'} is too large. The limit is ${bytes(max)} for each file.`,
  maxFilesCount: (max) => `The site has too many files. The limit is ${count(max, 'file')}.`,
  maxTotalSize: (max) => `The site is too large. The limit is ${bytes(max)}.`,
  body: (max) => `The upload is too large. The limit is ${bytes(max)} for each request.`,
};

/** The limit that a 413 response names; `null` if it names no limit. */
function limitOf({ details }: ClientError): { limit: SizeLimit; max: number } | null {
  return z.object({ limit: z.enum(SIZE_LIMITS), max: z.number() }).safeParse(details).data ?? null;
}

function nextStep(error: ClientError): string | null {
  const { kind, status, file, retryAfterSeconds } = error;
  switch (kind) {
    case 'network':
      return 'Check your connection and the server address under Settings.';
    case 'unavailable':
      return retryAfterSeconds === null ? 'Try again in a moment.' : `Try again in ${duration(retryAfterSeconds)}.`;
    case 'signed-out':
      if (status === 403) return allowance(error);
      return status === 401 ? 'Sign in again under Settings.' : 'Sign in under Settings.';
    case 'refused':
      if (status === 413) return beyondLimit(error);
      return file === null ? null : fileHint('Change', file, error);
    case 'folder':
      return file === null ? null : fileHint('Fix', file, error);
    case 'server':
      return "Try again later. Your server's log has details.";
    case 'aborted':
      return null;
    default:
      return kind satisfies never;
  }
}

/** Names the refused files: all that fit into {@link MAX_FILE_NAMES_LENGTH} characters, and the number of the others. */
function fileHint(verb: 'Change' | 'Fix', file: string, error: ClientError): string {
  const paths = issuesOf(error).map(({ path }) => path);
  if (paths.length < 2) return `${verb} ${file}, or exclude it in a .berthignore file.`;
  let length = 0;
  const named = paths.filter((path, at) => (length += path.length) <= MAX_FILE_NAMES_LENGTH || at === 0);
  const omitted = paths.length - named.length;
  const list = named.join(', ') + (omitted > 0 ? ` and ${omitted} more` : '');
  return `${verb} these files, or exclude them in a .berthignore file: ${list}.`;
}

const CAP_NAMES: Readonly<Record<string, string>> = {
  deployments: 'deployments',
  platformDomains: 'platform domains',
  customDomains: 'custom domains',
  seats: 'members',
};

function allowance({ details }: ClientError): string {
  const cap = z.object({ cap: z.string(), limit: z.number() }).safeParse(details).data;
  if (!cap) return 'Sign in with an API key: your current key does not allow this.';
  if (cap.cap === 'storage')
    return `Delete sites that you no longer need. Your plan includes ${bytes(cap.limit)} of storage.`;
  const capName = CAP_NAMES[cap.cap] ?? 'of them';
  if (cap.limit === 0) return `Your plan does not include ${capName}.`;
  return `Delete some first. Your plan includes ${cap.limit.toLocaleString('en-US')} ${capName}.`;
}

function beyondLimit(error: ClientError): string {
  if (limitOf(error)?.limit === 'maxFileSize' && error.file !== null)
    return `Make ${error.file} smaller, exclude it in a .berthignore file, or choose a larger plan.`;
  return `Exclude files that visitors do not need in a .berthignore file, or choose a larger plan.`;
}

function issueOf({ issues }: z.ZodError): string {
  const [issue] = issues;
  if (!issue) return 'The input is invalid.';
  return sentence([issue.path.map(String).join('.'), issue.message].filter(Boolean).join(': '));
}

function sentence(text: string): string {
  const shortened = text.trim().slice(0, MAX_MESSAGE_LENGTH);
  return /[.?!:)]$/.test(shortened) ? shortened : `${shortened}.`;
}
