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

/** A folder that was given, or was published a moment ago. */
const FolderSource = z.union([z.object({ grant: Grant }), z.object({ publishing: Id })]);
/** The confirmation that a question about this very folder came with. */
const Sure = Grant.optional();
const Asking = z.object({ is: z.literal('asking'), question: FolderQuestion });

/** Everything the window shows. */
export const AppState = z.object({
  /** The newest first. */
  publishings: z.array(Publishing),
  /** In the order in which they were added. */
  folders: z.array(WatchedFolder),
  session: Session,
  settings: Settings,
  update: Update,
  about: About,
});
export type AppState = z.infer<typeof AppState>;

/** Pages of the window. */
export const PAGES = ['publish', 'folders', 'sites', 'domains', 'activity', 'settings'] as const;
export type Page = (typeof PAGES)[number];

/** What the page may ask for: what it gives, and what it gets. Sites, domains and activities are those of the current server. */
export const commands = {
  readState: { input: Nothing, output: AppState },

  /** Asks the user for a folder; nothing when there was none chosen. */
  pickFolder: { input: Nothing, output: Given.nullable() },
  pickFiles: { input: Nothing, output: z.array(Given) },
  /** Sets what the next drop gets besides a link, whichever way it comes. `dropTaken` says when it is used up. */
  setNextDrop: { input: NextDropOptions, output: Nothing },
  /**
   * Publishes what was given, with what is set for the next drop: each folder alone, all files together. Each grant is used up.
   * What was pasted is asked about first.
   */
  publish: {
    input: z.object({ grants: z.array(Grant).min(1).max(1_000), pasted: z.boolean().optional() }),
    output: z.object({ publishings: z.array(Id) }),
  },
  /** Publishes what was asked about anyway, or a folder that was suggested. */
  answerPublishing: { input: One.extend({ instead: Grant.nullable() }), output: Nothing },
  cancelPublishing: { input: One, output: Nothing },
  retryPublishing: { input: One, output: Nothing },
  /** Takes it off the list. What is published stays published; what is under way is cancelled. */
  dismissPublishing: { input: One, output: Nothing },
  /** Gives an anonymous deployment to the account. */
  claimPublishing: { input: One, output: Nothing },

  /** A free name for a folder, as far as that can be known. */
  suggestName: {
    input: z.object({ of: FolderSource, name: Name.optional() }),
    output: z.object({ name: z.string(), validation: DomainValidation.nullable() }),
  },
  /** What has to be answered before a folder is watched. */
  checkFolder: { input: z.object({ of: FolderSource }), output: z.object({ question: FolderQuestion.nullable() }) },
  /**
   * Watches a folder. Where a password was set, for the next drop or for the site that was published, leaving it out is refused:
   * `null` says that the user wants none.
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
  /** A deploy that is under way comes to its end first. */
  pauseFolder: { input: One, output: Nothing },
  resumeFolder: { input: One, output: Nothing },
  /** Looks at once, tries again at once, and publishes what is not live. */
  publishFolder: { input: One, output: Nothing },
  /** Ends the deploy that is under way, and pauses. What was live stays. */
  cancelFolder: { input: One, output: Nothing },
  /** Makes the version before the live one live, and pauses. */
  undoFolder: { input: One, output: Version },
  /** The newest first. */
  listVersions: { input: One, output: z.object({ versions: z.array(Version) }) },
  /** Makes a version live, and pauses when it is not what the folder holds. */
  makeLive: { input: One.extend({ deployment: z.string().max(300) }), output: Version },
  /**
   * The password is that of the versions that are published from then on; `null` takes it away. Unless the folder is paused, such
   * a version is published at once.
   */
  changeFolder: {
    input: One.extend({
      domain: Name.optional(),
      labels: Labels.optional(),
      password: PublishOptions.shape.password.nullable(),
    }),
    output: Nothing,
  },
  /** Says where a folder is that was moved. */
  locateFolder: {
    input: One.extend({ grant: Grant, sure: Sure }),
    output: z.discriminatedUnion('is', [Asking, z.object({ is: z.literal('located') })]),
  },
  /** Shows it in the file manager. */
  showFolder: { input: One, output: Nothing },
  /** Stops watching. Its site stays as it is. */
  removeFolder: { input: One, output: Nothing },

  listDeployments: { input: Page, output: DeploymentList },
  labelDeployment: { input: OneDeployment.extend({ labels: Labels }), output: Deployment },
  deleteDeployment: { input: OneDeployment, output: Nothing },
  listDomains: { input: Page, output: DomainList },
  /** Adds a domain, or changes what it shows. */
  putDomain: {
    input: OneDomain.extend({ deployment: z.string().max(300).optional(), labels: Labels.optional() }),
    output: Domain,
  },
  verifyDomain: { input: OneDomain, output: VerifiedDomain },
  readRecords: { input: OneDomain, output: DomainRecords },
  shareDomain: { input: OneDomain, output: DomainShare },
  deleteDomain: { input: OneDomain, output: Nothing },
  listActivities: { input: Page, output: ActivityList },

  /** Adds a server once it has answered, and makes it the current one. */
  addServer: {
    input: z.object({ address: z.string().trim().min(1).max(2_048) }),
    output: z.object({ origin: z.url() }),
  },
  chooseServer: { input: z.object({ origin: z.url() }), output: Nothing },
  /** Forgets a server and its key. Its folders are paused. The last one stays. */
  removeServer: { input: z.object({ origin: z.url() }), output: Nothing },
  /** Signs in to the current server with a key, once the server has said whose it is. */
  signIn: { input: z.object({ key: z.string().trim().min(1).max(512) }), output: z.object({ email: z.string() }) },
  signOut: { input: Nothing, output: Nothing },
  /** Asks the current server for the account, with its usage. */
  refreshAccount: { input: Nothing, output: Nothing },

  changeSettings: { input: Settings.partial().strict(), output: Settings },
  copy: { input: z.object({ text: z.string().min(1).max(8_192) }), output: Nothing },
  /** Opens a page in the browser: `https:` without credentials, `http:` on the hosts of the known servers alone. */
  openLink: { input: z.object({ url: z.string().max(4_096) }), output: Nothing },
  restartToUpdate: { input: Nothing, output: Nothing },
} as const satisfies Record<CommandName, { input: z.ZodType; output: z.ZodType }>;

/** What the app tells the page. */
export const events = {
  publishings: z.array(Publishing),
  folders: z.array(WatchedFolder),
  session: Session,
  settings: Settings,
  update: Update,
  /** A drop took what was set for it: nothing is set any more. */
  dropTaken: z.object({}),
  /** Something happened in the account of the current server. */
  activity: Activity,
  /** From here on every activity is told: what was read before may miss some. */
  following: z.object({}),
  /** The menu, the tray, a notification or a link wants a page to be shown, and one thing on it. */
  navigate: z.object({
    page: z.enum(PAGES),
    /** The publishing or folder that is meant. */
    id: Id.optional(),
    /** An address that a link wants to have added as a server: filled in, and not more. */
    server: z.url().optional(),
  }),
  /** Something that belongs to no card: such as a link that could not be understood. */
  notice: z.object({ problem: Problem }),
} as const satisfies Record<EventName, z.ZodType>;

export type CommandInput<C extends CommandName> = z.input<(typeof commands)[C]['input']>;
export type CommandOutput<C extends CommandName> = z.output<(typeof commands)[C]['output']>;
export type EventData<E extends EventName> = z.output<(typeof events)[E]>;

/** How a command ends: errors lose all but their message on the way to the page, so they travel as values. */
export type Answer<T> = { ok: true; value: T } | { ok: false; problem: Problem };

type Asked<C extends CommandName> =
  undefined extends CommandInput<C>
    ? () => Promise<Answer<CommandOutput<C>>>
    : (input: CommandInput<C>) => Promise<Answer<CommandOutput<C>>>;

/** What the page finds as `window.desktop`. */
export interface DesktopApi {
  /** One function for each command. None of them rejects. */
  commands: { readonly [C in CommandName]: Asked<C> };
  /** One function for each event. @returns what stops the listening. */
  events: { readonly [E in EventName]: (listener: (data: EventData<E>) => void) => () => void };
  /** Turns what was dropped into grants. What is on no disk, or cannot be read, is left out. */
  grant(files: readonly File[]): Promise<Answer<Given[]>>;
}
