import type { Problem } from './backend.ts';

/** A number of files and their size. */
export interface Amount {
  files: number;
  bytes: number;
}

/** The files that a deployment skipped for one reason: their number and the first few paths. */
export interface SkippedFileGroup {
  reason: 'private' | 'ignored' | 'link' | 'not-a-file';
  count: number;
  paths: readonly string[];
}

/** The progress of a deploy. */
export type Progress =
  /** The files of the folder are being listed. */
  | { phase: 'listing' }
  /** The files are being read. `cached` counts the unchanged files, which are not read again. */
  | { phase: 'reading'; done: Amount; total: Amount; cached: Amount }
  /** The server is asked which contents are missing. */
  | { phase: 'comparing'; total: Amount }
  /** `bytesPerSecond` is the speed over the last seconds; `null` until it is measured. */
  | { phase: 'sending'; done: Amount; total: Amount; bytesPerSecond: number | null }
  /** All contents are uploaded, and the server creates the deployment. */
  | { phase: 'finishing' }
  /** The deployment is live, and the server links the domain. */
  | { phase: 'linking' }
  /** An attempt failed and will be retried. `at` is the time of the retry, in Unix milliseconds. */
  | { phase: 'retrying'; attempt: number; at: number; reason: string };

/** A question that the user must answer before something is published. */
export interface Question {
  about:
    | 'no-front-page'
    /** The folder is the source of a site, not its build output. */
    | 'project'
    /** The folder is the home folder, the desktop, Documents, Downloads, or a whole disk. */
    | 'personal'
    /** The item was pasted, which easily happens by mistake. */
    | 'pasted';
  /** The folders inside the folder that the user more likely meant. The grant identifies a suggestion. */
  suggestions: readonly { grant: string; name: string }[];
}

/** A warning about a published file. */
export interface FileWarning {
  file: string;
  line: number | null;
  message: string;
}

/** The result of a publish job. */
export interface Published extends Amount {
  deployment: string;
  /** The link to share: the link of the domain once it is served, otherwise the link of the deployment. */
  url: string;
  /** The time when the deployment expires, in Unix seconds; `null` if it does not expire. */
  expires: number | null;
  /** The link that claims the deployment; `null` once the deployment belongs to an account. */
  claim: string | null;
  /** True if visitors must enter a password. */
  password: boolean;
  /** True if the link was copied to the clipboard. */
  copied: boolean;
  notices: readonly FileWarning[];
}

/** The state of a publish job. */
export type PublishingState =
  | { is: 'asking'; question: Question }
  /** The publish job waits for the publish jobs before it. */
  | { is: 'queued' }
  | { is: 'working'; progress: Progress }
  | { is: 'published'; published: Published }
  | { is: 'failed'; problem: Problem }
  | { is: 'cancelled' };

/** One drop and its progress until it has a link. */
export interface Publishing {
  id: string;
  /** The name of the folder or the single file; the number of files, such as `3 files`, for several files. */
  name: string;
  kind: 'folder' | 'files';
  /** The time when the publish job began, in Unix milliseconds. */
  begun: number;
  state: PublishingState;
  leftOut: readonly SkippedFileGroup[];
  /** True if the item is a folder that still exists and is not watched yet. */
  watchable: boolean;
}

/** The options of the next drop exactly as the user typed them, so they may be invalid. */
export interface NextDropOptions {
  domain?: string | undefined;
  labels?: string[] | undefined;
  password?: string | undefined;
}
