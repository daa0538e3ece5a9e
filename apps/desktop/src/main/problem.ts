import { ClientError } from '@berth/client';
import { bytes, count, duration } from '@berth/client/amounts';
import { type SizeLimit, SIZE_LIMITS } from '@berth/contract';
import { z } from 'zod';
import type { Problem } from '../shared/problem.ts';

/** The max length of a message. Messages of foreign servers can have any length. */
const MAX_MESSAGE_LENGTH = 600;

/**
 * Converts a thrown value to a problem for the user: what went wrong, in which file, and what to do.
 *
 * Errors of the client keep their kind. Input that does not match its schema is `refused`. Anything else is a bug in the app:
 * `unexpected`, without any internal details.
 *
 * Source: design of the desktop app, §6, §8.
 */
export function problemOf(thrown: unknown): Problem {
  if (thrown instanceof ClientError) {
    const { kind, file } = thrown;
    return { kind, message: sentence(messageOf(thrown)), next: nextStep(thrown), file };
  }
  if (thrown instanceof z.ZodError) return { kind: 'refused', message: issueOf(thrown), next: null, file: null };
  if (thrown instanceof Error && thrown.name === 'AbortError') return problemOf(new ClientError('aborted', GIVEN_UP));
  return {
    kind: 'unexpected',
    message: 'Something in the app went wrong.',
    next: 'Try again. If it happens once more, restart the app.',
    file: null,
  };
}

const GIVEN_UP = 'It was given up before its end.';

function messageOf(error: ClientError): string {
  const limit = error.status === 413 ? limitOf(error) : null;
  if (limit) return LIMIT_MESSAGES[limit.limit](limit.max, error.file);
  if (error.status === 401) return 'The server does not take the key.';
  return error.message;
}

const LIMIT_MESSAGES: Record<SizeLimit, (max: number, file: string | null) => string> = {
  maxFileSize: (max, file) => `${file ?? 'A file'} is too large: a file may have at most ${bytes(max)}.`,
  maxFilesCount: (max) => `There are too many files: a site may have at most ${count(max, 'file')}.`,
  maxTotalSize: (max) => `It is too large: a site may have at most ${bytes(max)}.`,
  body: (max) => `It is too large to be sent at once: at most ${bytes(max)}.`,
};

/** The limit that a 413 reports; `null` if it names none. */
function limitOf({ details }: ClientError): { limit: SizeLimit; max: number } | null {
  return z.object({ limit: z.enum(SIZE_LIMITS), max: z.number() }).safeParse(details).data ?? null;
}

function nextStep(error: ClientError): string | null {
  const { kind, status, file, retryAfterSeconds } = error;
  switch (kind) {
    case 'network':
      return 'Check the connection, and the address of the server under Settings.';
    case 'unavailable':
      return `Try again ${retryAfterSeconds === null ? 'in a moment' : `in ${duration(retryAfterSeconds)}`}.`;
    case 'signed-out':
      if (status === 403) return allowance(error);
      return status === 401 ? 'Sign in again under Settings.' : 'Sign in under Settings.';
    case 'refused':
      if (status === 413) return beyondLimit(error);
      return file === null ? null : `Change ${file}, or leave it out with a line in a file named .berthignore.`;
    case 'folder':
      return file === null ? null : `Mend ${file}, or leave it out with a line in a file named .berthignore.`;
    case 'server':
      return 'Try again later. Whoever runs the server finds more in its log.';
    case 'aborted':
      return null;
    default:
      return kind satisfies never;
  }
}

const CAP_NAMES: Readonly<Record<string, string>> = {
  deployments: 'deployments',
  platformDomains: 'names below the platform domain',
  customDomains: 'domains of your own',
  seats: 'members',
};

function allowance({ details }: ClientError): string {
  const cap = z.object({ cap: z.string(), limit: z.number() }).safeParse(details).data;
  if (!cap) return 'Sign in with an API key, which may do more.';
  if (cap.cap === 'storage') return `Delete sites that are no longer needed: your plan holds ${bytes(cap.limit)}.`;
  const what = CAP_NAMES[cap.cap] ?? 'of these';
  if (cap.limit === 0) return `Your plan holds no ${what}: a bigger one does.`;
  return `Free up space: your plan holds ${cap.limit.toLocaleString('en-US')} ${what}.`;
}

function beyondLimit(error: ClientError): string {
  const bigger = 'or ask for a bigger plan';
  const isOneFile = limitOf(error)?.limit === 'maxFileSize' && error.file !== null;
  if (isOneFile) return `Make ${error.file} smaller, leave it out with a line in a file named .berthignore, ${bigger}.`;
  return `Leave out what no visitor needs, with lines in a file named .berthignore, ${bigger}.`;
}

function issueOf({ issues }: z.ZodError): string {
  const [issue] = issues;
  if (!issue) return 'That cannot be done as it was asked for.';
  const at = issue.path.map(String).join('.');
  return sentence(at === '' ? issue.message : `${at}: ${issue.message}`);
}

function sentence(text: string): string {
  const clean = text.trim().slice(0, MAX_MESSAGE_LENGTH);
  return /[.?!:)]$/.test(clean) ? clean : `${clean}.`;
}
