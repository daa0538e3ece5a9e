import type { Amount } from '@berth/client/browser';
import type { Progress, SkippedFileGroup } from '@berth/client/progress-view';
import type { Problem } from './backend.ts';

export type { Amount, Progress, SkippedFileGroup };

/** How to build a project, and the folder inside it that then contains the site. */
export interface Build {
  framework: string;
  folder: string;
  command: string;
  /** What the user must change before the build gives a static site; `null` if nothing. */
  advice: string | null;
}

/** A question that the user must answer before something is published. */
export interface Question {
  about:
    | 'no-front-page'
    /** The folder is the source of a site, not its build output. */
    | 'project'
    /** The folder is the home folder, the desktop, Documents, Downloads, or a whole disk. */
    | 'personal'
    /** The item was pasted, which easily happens by mistake. */
    | 'pasted'
    /** A site is published from the folder already. */
    | 'update';
  /** The folders inside the folder that the user more likely meant. The grant identifies a suggestion. */
  suggestions: readonly { grant: string; name: string }[];
  /** How to build the project. A browser cannot build. */
  build?: Build | null | undefined;
  /** The domain of the site that is published from the folder already. */
  site?: string | undefined;
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
  /** The time of publishing, in Unix milliseconds. */
  at: number;
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

/** Why an upload waits. It continues with what is still missing. */
export type PauseReason =
  /** The user paused it. */
  | 'asked'
  /** There is no network. */
  | 'offline'
  /** The page was loaded again, and the browser asks the user before the page can read the folder. */
  | 'permission'
  /** The page was loaded again, and the user must choose the same folder. */
  | 'choose-again';

/** The state of a publish job. */
export type PublishingState =
  | { is: 'asking'; question: Question }
  /** The publish job waits for the publish jobs before it. */
  | { is: 'queued' }
  /** The build of the project runs. */
  | { is: 'building' }
  | { is: 'working'; progress: Progress }
  /** `sent` says how much of the missing contents was sent; `null` if that is unknown. */
  | { is: 'paused'; why: PauseReason; sent: { done: Amount; total: Amount } | null }
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
  /** The end of the output of the last build; `null` without a build. */
  build?: { command: string; text: string } | null;
  /** True if the item is a folder that still exists and is not watched yet. */
  watchable: boolean;
}

/** The options of the next drop exactly as the user typed them, so they may be invalid. */
export interface NextDropOptions {
  domain?: string | undefined;
  labels?: string[] | undefined;
  password?: string | undefined;
}

/** What the buttons of a card do. The promises settle when the window has acted. */
export interface PublishingActions {
  /** Answers a question: publishes the item anyway (`instead: null`), or a suggested folder instead. */
  answer(id: string, instead: string | null): Promise<unknown>;
  /** Updates the site that is published from the folder already, or publishes the folder at a new link. A browser never asks this. */
  update: ((id: string, update: boolean) => Promise<unknown>) | null;
  /** Runs the build command of a project and publishes the result; `null` in a window that cannot build. */
  build: ((id: string) => Promise<unknown>) | null;
  cancel(id: string): void;
  retry(id: string): void;
  dismiss(id: string): void;
  /** Claims an anonymous deployment for the account. */
  claim(id: string): Promise<unknown>;
  /** Signs in to keep an anonymous deployment; `null` in a window whose sign-in page knows nothing of the deployment. */
  keep: ((id: string) => void) | null;
  watch(publishing: Publishing): void;
  /** Pauses an upload; `null` in a window that cannot. */
  pause: ((id: string) => void) | null;
  /** Continues an upload that is paused. */
  resume(publishing: Publishing): void;
}
