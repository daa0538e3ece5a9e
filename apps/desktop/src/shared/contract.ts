import {
  Activity,
  ActivityList,
  Deployment,
  DeploymentList,
  Domain,
  DomainList,
  DomainRecords,
  DomainShare,
  DomainValidation,
  VerifiedDomain,
} from '@berth/contract';
import { z } from 'zod';
import type { CommandName, EventName } from './channels.ts';
import { Version, WatchedFolder } from './folder.ts';
import { Problem } from './problem.ts';
import { FolderQuestion, Given, Grant, Id, NextDropOptions, Publishing, PublishOptions } from './publishing.ts';
import { Session } from './session.ts';
import { About, Settings, Update } from './settings.ts';

const Nothing = z.undefined();
const Name = z.string().trim().min(1).max(300);
const Labels = z.array(z.string().max(64)).max(10);
const Page = z.object({ cursor: z.string().max(512).optional() });
const One = z.object({ id: Id });
const OneDeployment = z.object({ deployment: z.string().max(300) });
const OneDomain = z.object({ domain: Name });

/** A folder that the user has just picked or published. */
const FolderSource = z.union([z.object({ grant: Grant }), z.object({ publishing: Id })]);
/** The confirmation that came with an earlier question about the same folder. */
const Sure = Grant.optional();
const Asking = z.object({ is: z.literal('asking'), question: FolderQuestion });

/** Everything the window shows. */
export const AppState = z.object({
  /** Newest first. */
  publishings: z.array(Publishing),
  /** In the order they were added. */
  folders: z.array(WatchedFolder),
  session: Session,
  settings: Settings,
  update: Update,
  about: About,
});
export type AppState = z.infer<typeof AppState>;

/** The pages of the window. */
export const PAGES = ['publish', 'folders', 'sites', 'domains', 'activity', 'settings'] as const;
export type Page = (typeof PAGES)[number];

/** The commands of the page with their inputs and outputs. Sites, domains and activities are those of the current server. */
export const commands = {
  readState: { input: Nothing, output: AppState },

  /** Asks the user for a folder. `null` when the user cancels. */
  pickFolder: { input: Nothing, output: Given.nullable() },
  pickFiles: { input: Nothing, output: z.array(Given) },
  /** Sets the options of the next drop, however it arrives. The event `dropTaken` follows once a drop has used them. */
  setNextDrop: { input: NextDropOptions, output: Nothing },
  /**
   * Publishes the granted items with the options of the next drop: each folder separately, all files together. Uses up grants.
   * Pasted items are published only after the user confirms.
   */
  publish: {
    input: z.object({ grants: z.array(Grant).min(1).max(1_000), pasted: z.boolean().optional() }),
    output: z.object({ publishings: z.array(Id) }),
  },
  /** Answers the question about a folder: publishes it anyway (`instead: null`), or publishes a suggested folder. */
  answerPublishing: { input: One.extend({ instead: Grant.nullable() }), output: Nothing },
  cancelPublishing: { input: One, output: Nothing },
  retryPublishing: { input: One, output: Nothing },
  /** Removes a publishing from the list. A finished one stays published; a running one is cancelled. */
  dismissPublishing: { input: One, output: Nothing },
  /** Claims an anonymous deployment for the account. */
  claimPublishing: { input: One, output: Nothing },

  /** Suggests a name for a folder. `validation` says whether it is free; it is `null` when that cannot be checked. */
  suggestName: {
    input: z.object({ of: FolderSource, name: Name.optional() }),
    output: z.object({ name: z.string(), validation: DomainValidation.nullable() }),
  },
  /** Returns the question that the user must answer before this folder can be watched, or `null`. */
  checkFolder: { input: z.object({ of: FolderSource }), output: z.object({ question: FolderQuestion.nullable() }) },
  /**
   * Starts to watch a folder. If a password is set for the next drop, or the published site has one, `password` is required:
   * `null` means that the user wants none.
   */
  watch: {
    input: z.object({
      of: FolderSource,
      sure: Sure,
      domain: Name,
      labels: Labels,
      password: PublishOptions.shape.password.nullable(),
    }),
    output: z.discriminatedUnion('is', [Asking, One.extend({ is: z.literal('watched') })]),
  },
  /** Pauses after the running deploy, if there is one, has finished. */
  pauseFolder: { input: One, output: Nothing },
  resumeFolder: { input: One, output: Nothing },
  /** Scans now, skips any pause before a retry, and publishes the folder unless its content is live already. */
  publishFolder: { input: One, output: Nothing },
  /** Aborts the running deploy and pauses. The live version does not change. */
  cancelFolder: { input: One, output: Nothing },
  /** Makes the previous version live and pauses. */
  undoFolder: { input: One, output: Version },
  /** Newest first. */
  listVersions: { input: One, output: z.object({ versions: z.array(Version) }) },
  /** Makes a version live. Pauses if the folder's content differs from it. */
  makeLive: { input: One.extend({ deployment: z.string().max(300) }), output: Version },
  /**
   * A password applies to versions that are published from now on; `null` removes it. Unless the folder is paused, a version with
   * the new password is published immediately.
   */
  changeFolder: {
    input: One.extend({
      domain: Name.optional(),
      labels: Labels.optional(),
      password: PublishOptions.shape.password.nullable(),
    }),
    output: Nothing,
  },
  /** Sets the new location of a folder that was moved. */
  locateFolder: {
    input: One.extend({ grant: Grant, sure: Sure }),
    output: z.discriminatedUnion('is', [Asking, z.object({ is: z.literal('located') })]),
  },
  /** Shows the folder in the file manager. */
  showFolder: { input: One, output: Nothing },
  /** Stops watching a folder. Its site stays online, unchanged. */
  removeFolder: { input: One, output: Nothing },

  listDeployments: { input: Page, output: DeploymentList },
  labelDeployment: { input: OneDeployment.extend({ labels: Labels }), output: Deployment },
  deleteDeployment: { input: OneDeployment, output: Nothing },
  listDomains: { input: Page, output: DomainList },
  /** Adds a domain, or points it at another deployment. */
  putDomain: {
    input: OneDomain.extend({ deployment: z.string().max(300).optional(), labels: Labels.optional() }),
    output: Domain,
  },
  verifyDomain: { input: OneDomain, output: VerifiedDomain },
  readRecords: { input: OneDomain, output: DomainRecords },
  shareDomain: { input: OneDomain, output: DomainShare },
  deleteDomain: { input: OneDomain, output: Nothing },
  listActivities: { input: Page, output: ActivityList },

  /** Checks that a Berth server answers at the address, adds it, and makes it the current one. */
  addServer: {
    input: z.object({ address: z.string().trim().min(1).max(2_048) }),
    output: z.object({ origin: z.url() }),
  },
  chooseServer: { input: z.object({ origin: z.url() }), output: Nothing },
  /** Removes a server and its key, and pauses its folders. The last server cannot be removed. */
  removeServer: { input: z.object({ origin: z.url() }), output: Nothing },
  /** Signs in to the current server with a key, after the server has confirmed which account it belongs to. */
  signIn: { input: z.object({ key: z.string().trim().min(1).max(512) }), output: z.object({ email: z.string() }) },
  signOut: { input: Nothing, output: Nothing },
  /** Reads the account and its usage from the current server. */
  refreshAccount: { input: Nothing, output: Nothing },

  changeSettings: { input: Settings.partial().strict(), output: Settings },
  copy: { input: z.object({ text: z.string().min(1).max(8_192) }), output: Nothing },
  /** Opens a page in the browser. Only `https:` without credentials, and `http:` on the hosts of known servers, are allowed. */
  openLink: { input: z.object({ url: z.string().max(4_096) }), output: Nothing },
  restartToUpdate: { input: Nothing, output: Nothing },
} as const satisfies Record<CommandName, { input: z.ZodType; output: z.ZodType }>;

/** The events that the app sends to the page, with their data. */
export const events = {
  publishings: z.array(Publishing),
  folders: z.array(WatchedFolder),
  session: Session,
  settings: Settings,
  update: Update,
  /** A drop has used the options of the next drop; they are empty now. */
  dropTaken: z.object({}),
  /** A new activity of the account on the current server. */
  activity: Activity,
  /** From now on every activity is sent. A list that was read earlier may lack some. */
  following: z.object({}),
  /** The menu, the tray, a notification or a link asks for a page, and optionally for one item on it. */
  navigate: z.object({
    page: z.enum(PAGES),
    /** The publishing or folder to show. */
    id: Id.optional(),
    /** The server address from a link. The page only fills it in; the user decides whether to add it. */
    server: z.url().optional(),
  }),
  /** A problem that belongs to no card, such as an invalid link. */
  problem: z.object({ problem: Problem }),
} as const satisfies Record<EventName, z.ZodType>;

export type CommandInput<C extends CommandName> = z.input<(typeof commands)[C]['input']>;
export type CommandOutput<C extends CommandName> = z.output<(typeof commands)[C]['output']>;
export type EventData<E extends EventName> = z.output<(typeof events)[E]>;

/** The result of a command. Errors are values because Electron passes only the message of an exception to the page. */
export type Answer<T> = { ok: true; value: T } | { ok: false; problem: Problem };

type Asked<C extends CommandName> =
  undefined extends CommandInput<C>
    ? () => Promise<Answer<CommandOutput<C>>>
    : (input: CommandInput<C>) => Promise<Answer<CommandOutput<C>>>;

/** The API that the page finds at `window.desktop`. */
export interface DesktopApi {
  /** One function for each command. They never reject. */
  commands: { readonly [C in CommandName]: Asked<C> };
  /** Subscribes to an event; one function for each. @returns A function that unsubscribes. */
  events: { readonly [E in EventName]: (listener: (data: EventData<E>) => void) => () => void };
  /** Turns dropped files and folders into grants. Skips items that are not on a disk or cannot be read. */
  grant(files: readonly File[]): Promise<Answer<Given[]>>;
}
