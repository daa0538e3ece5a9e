import { bytes, count, duration } from './amounts.ts';
import { type ClientError, issuesOf } from './errors.ts';
import type { SizeLimit } from '@berth/contract';
import { readCap, readSizeLimit } from './error-body.ts';

/** The maximum length of a message. Messages of foreign servers can have any length. */
const MAX_MESSAGE_LENGTH = 600;
/** The maximum total length of the names of refused files in a hint, in characters. */
const MAX_FILE_NAMES_LENGTH = 400;

/** The sentences that depend on the program: where a person signs in, and how files are excluded. */
export interface ProblemAdvice {
  /** What to do if the server cannot be reached. */
  network: string;
  /** Says that the server no longer accepts the credential. */
  refusedCredential: string;
  signIn: string;
  signInAgain: string;
  /** What to do if the credential does not allow the request; `null` for nothing. */
  notAllowed: string | null;
  /** Says how to exclude files, as in `exclude it in a .berthignore file`. */
  exclude(what: string): string;
}

/**
 * Describes an error for a person: what went wrong, in which file, and what to do; `next` is `null` if the person can only try
 * again.
 *
 * Source: desktop §6, §8.
 */
export function describeProblem(error: ClientError, advice: ProblemAdvice) {
  const { kind, file } = error;
  return { kind, message: asSentence(messageOf(error, advice)), next: nextStep(error, advice), file };
}

/** Shortens a text that a server or a person wrote, and ends it as a sentence. */
export function asSentence(text: string): string {
  const shortened = text.trim().slice(0, MAX_MESSAGE_LENGTH);
  return /[.?!:)]$/.test(shortened) ? shortened : `${shortened}.`;
}

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

function messageOf(error: ClientError, advice: ProblemAdvice): string {
  const limit = error.status === 413 ? limitOf(error) : null;
  if (limit) return LIMIT_MESSAGES[limit.limit](limit.max, error.file);
  if (error.status === 401) return advice.refusedCredential;
  return error.message;
}

const LIMIT_MESSAGES: Record<SizeLimit, (max: number, file: string | null) => string> = {
  maxFileSize: (max, file) => `${file ?? 'A file'} is too large. The limit is ${bytes(max)} for each file.`,
  maxFilesCount: (max) => `The site has too many files. The limit is ${count(max, 'file')}.`,
  maxTotalSize: (max) => `The site is too large. The limit is ${bytes(max)}.`,
  body: (max) => `The upload is too large. The limit is ${bytes(max)} for each request.`,
};

/** The limit that a 413 response names; `null` if it names no known limit. */
const limitOf = ({ details }: ClientError) => readSizeLimit(details, LIMIT_MESSAGES);

function nextStep(error: ClientError, advice: ProblemAdvice): string | null {
  const { kind, status, file, retryAfterSeconds } = error;
  switch (kind) {
    case 'network':
      return advice.network;
    case 'unavailable':
      return retryAfterSeconds === null ? 'Try again in a moment.' : `Try again in ${duration(retryAfterSeconds)}.`;
    case 'signed-out':
      if (status === 403) return allowance(error, advice);
      return status === 401 ? advice.signInAgain : advice.signIn;
    case 'refused':
      if (status === 413) return beyondLimit(error, advice);
      return file === null ? null : fileHint('Change', file, error, advice);
    case 'folder':
      return file === null ? null : fileHint('Fix', file, error, advice);
    case 'server':
      return "Try again later. Your server's log has details.";
    case 'aborted':
      return null;
    default:
      return kind satisfies never;
  }
}

/** Names the refused files: all that fit into {@link MAX_FILE_NAMES_LENGTH} characters, and the number of the others. */
function fileHint(verb: 'Change' | 'Fix', file: string, error: ClientError, { exclude }: ProblemAdvice): string {
  const paths = issuesOf(error).map(({ path }) => path);
  if (paths.length < 2) return `${verb} ${file}, or ${exclude('it')}.`;
  let length = 0;
  const named = paths.filter((path, at) => (length += path.length) <= MAX_FILE_NAMES_LENGTH || at === 0);
  const omitted = paths.length - named.length;
  const list = named.join(', ') + (omitted > 0 ? ` and ${omitted} more` : '');
  return `${verb} these files, or ${exclude('them')}: ${list}.`;
}

const CAP_NAMES: Readonly<Record<string, string>> = {
  deployments: 'deployments',
  platformDomains: 'platform domains',
  customDomains: 'custom domains',
  seats: 'members',
};

function allowance({ details }: ClientError, { notAllowed }: ProblemAdvice): string | null {
  const cap = readCap(details);
  if (!cap) return notAllowed;
  if (cap.cap === 'storage')
    return `Delete sites that you no longer need. Your plan includes ${bytes(cap.limit)} of storage.`;
  const capName = CAP_NAMES[cap.cap] ?? 'of them';
  if (cap.limit === 0) return `Your plan does not include ${capName}.`;
  return `Delete some first. Your plan includes ${cap.limit.toLocaleString('en-US')} ${capName}.`;
}

function beyondLimit(error: ClientError, { exclude }: ProblemAdvice): string {
  if (limitOf(error)?.limit === 'maxFileSize' && error.file !== null)
    return `Make ${error.file} smaller, ${exclude('it')}, or choose a larger plan.`;
  return `${capitalized(exclude('files that visitors do not need'))}, or choose a larger plan.`;
}
