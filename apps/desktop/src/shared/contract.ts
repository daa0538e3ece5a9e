import {
  Activity,
  ActivityList,
  Deployment,
  DeploymentChanges,
  DeploymentPatch,
  Domain,
  DomainDns,
  DomainList,
  DomainRecords,
  DomainShare,
  DomainValidation,
  DomainVersionList,
  Site,
  SiteList,
  VerifiedDomain,
} from '@berth/contract';
import { z } from 'zod';
import type { CommandName, EventName } from './channels.ts';
import { Version, WatchedFolder } from './folder.ts';
import { Problem } from './problem.ts';
import { FolderQuestion, GivenItem, Grant, Id, NextDropOptions, Publishing, PublishOptions } from './publishing.ts';
import { Session } from './session.ts';
import { About, Settings, Update } from './settings.ts';
import { SiteFolder } from './site-folder.ts';

const Nothing = z.undefined();
const Name = z.string().trim().min(1).max(300);
const Labels = z.array(z.string().max(64)).max(10);
const Cursor = z.object({ cursor: z.string().max(512).optional() });
const ActivityPage = Cursor.extend({
  event: z.string().max(1_000).optional(),
  authMethod: z.string().max(64).optional(),
});
const ById = z.object({ id: Id });
const ByDeployment = z.object({ deployment: z.string().max(300) });
const ByDomain = z.object({ domain: Name });

/** A folder that the user has just picked or published. */
const FolderSource = z.union([z.object({ grant: Grant }), z.object({ publishing: Id })]);
/** The confirmation from an earlier question about the same folder. */
const Confirmation = Grant.optional();
const AskingResult = z.object({ is: z.literal('asking'), question: FolderQuestion });

/** Everything that the window shows. */
export const AppState = z.object({
  /** The publish jobs, newest first. */
  publishings: z.array(Publishing),
  /** The watched folders, in the order in which the user added them. */
  folders: z.array(WatchedFolder),
  /** The folders from which sites were published, the most recent first. */
  siteFolders: z.array(SiteFolder),
  session: Session,
  settings: Settings,
  update: Update,
  about: About,
  /** The server that this app was made for; `null` if the user must enter one. */
  presetServer: z.url().nullable(),
});
export type AppState = z.infer<typeof AppState>;

/** The pages of the window. */
export const PAGES = ['publish', 'folders', 'sites', 'domains', 'activity', 'settings'] as const;
export type Page = (typeof PAGES)[number];

/** A page of the window, and optionally an item on this page. */
const Target = z.object({
  page: z.enum(PAGES),
  /** The id of the publish job or folder to show. */
  id: Id.optional(),
  /** The server address from a link. The page only fills in the address; the user decides whether to add the server. */
  server: z.url().optional(),
});
export type Target = z.infer<typeof Target>;

/** The commands of the page with their inputs and outputs. Sites, domains and activities are those of the current server. */
export const commands = {
  readState: { input: Nothing, output: AppState },

  /** Asks the user for a folder, by default one to publish. Returns `null` if the user cancels. */
  pickFolder: {
    input: z.object({ reason: z.enum(['publish', 'watch', 'locate']) }).optional(),
    output: GivenItem.nullable(),
  },
  pickFiles: { input: Nothing, output: z.array(GivenItem) },
  /** Sets the options of the next drop, however the drop arrives. The event `dropTaken` follows once a drop has used the options. */
  setNextDrop: { input: NextDropOptions, output: Nothing },
  /**
   * Publishes the granted items with the options of the next drop: each folder separately, all files together. Uses up the grants.
   * Pasted items are published only after the user confirms.
   */
  publish: {
    input: z.object({ grants: z.array(Grant).min(1).max(1_000), pasted: z.boolean().optional() }),
    output: z.object({ publishings: z.array(Id) }),
  },
  /** Answers the question about a folder: publishes the folder anyway (`instead: null`), or a suggested folder instead. */
  answerPublishing: { input: ById.extend({ instead: Grant.nullable() }), output: Nothing },
  /** Answers the question about a folder that was published before: updates its site, or publishes the folder at a new link. */
  updatePublishing: { input: ById.extend({ update: z.boolean() }), output: Nothing },
  /** Answers the question about a project: runs its build command, now and when the project is dropped again, and publishes the result. */
  buildPublishing: { input: ById, output: Nothing },
  /** Publishes a site of the current server again from its folder. */
  publishSiteAgain: { input: z.object({ deployment: z.string().max(300), domain: Name.nullable() }), output: ById },
  /** Shows the folder of a site of the current server in the file manager. */
  showSiteFolder: { input: z.object({ deployment: z.string().max(300), domain: Name.nullable() }), output: Nothing },
  cancelPublishing: { input: ById, output: Nothing },
  retryPublishing: { input: ById, output: Nothing },
  /** Removes a publish job from the list. A published site stays online; a running publish job is cancelled. */
  dismissPublishing: { input: ById, output: Nothing },
  /** Claims an anonymous deployment for the account. */
  claimPublishing: { input: ById, output: Nothing },
  /** Remembers to claim an anonymous deployment as soon as the user has signed in to its server. */
  keepPublishing: { input: ById, output: Nothing },
  /** Publishes a sample site, so that the user can try the app without a folder. */
  publishSample: { input: Nothing, output: ById },

  /** Suggests a name for a folder. `validation` says whether the name is free; it is `null` if the name cannot be checked. */
  suggestName: {
    input: z.object({ of: FolderSource, name: Name.optional() }),
    output: z.object({ name: z.string(), validation: DomainValidation.nullable() }),
  },
  /** Returns the question that the user must answer before this folder can be watched; `null` without such a question. */
  checkFolder: { input: z.object({ of: FolderSource }), output: z.object({ question: FolderQuestion.nullable() }) },
  /**
   * Starts to watch a folder. If the next drop or the published site has a password, `password` is required; `null` means that the
   * user wants no password. With the `build` command that a question has proposed, the folder is built each time it has changed, and
   * the result is published.
   */
  watch: {
    input: z.object({
      of: FolderSource,
      sure: Confirmation,
      build: z.string().max(1_000).optional(),
      domain: Name,
      labels: Labels,
      password: PublishOptions.shape.password.nullable(),
    }),
    output: z.discriminatedUnion('is', [AskingResult, ById.extend({ is: z.literal('watched') })]),
  },
  /** Pauses a folder after its running deploy, if there is one, has finished. */
  pauseFolder: { input: ById, output: Nothing },
  resumeFolder: { input: ById, output: Nothing },
  /** Scans a folder now, skips any pause before a retry, and publishes the folder unless the live version equals it. */
  publishFolder: { input: ById, output: Nothing },
  /** Aborts a folder's running deploy and pauses the folder. The live version does not change. */
  cancelFolder: { input: ById, output: Nothing },
  /** Makes a folder's previous version live and pauses the folder. */
  undoFolder: { input: ById, output: Version },
  /** Lists a folder's versions, newest first. */
  listVersions: { input: ById, output: z.object({ versions: z.array(Version) }) },
  /** Makes a version live. Pauses the folder unless the version is the newest. */
  makeLive: { input: ById.extend({ deployment: z.string().max(300) }), output: Version },
  /**
   * Changes the settings of a folder. A new password applies to versions that are published from now on; `null` removes the
   * password. Unless the folder is paused, a version with the new password is published immediately.
   */
  changeFolder: {
    input: ById.extend({
      domain: Name.optional(),
      labels: Labels.optional(),
      password: PublishOptions.shape.password.nullable(),
    }),
    output: Nothing,
  },
  /** Sets the new location of a folder that was moved. */
  locateFolder: {
    input: ById.extend({ grant: Grant, sure: Confirmation }),
    output: z.discriminatedUnion('is', [AskingResult, z.object({ is: z.literal('located') })]),
  },
  /** Shows the folder in the file manager. */
  showFolder: { input: ById, output: Nothing },
  /** Stops watching a folder. Its site stays online, unchanged. */
  removeFolder: { input: ById, output: Nothing },

  labelDeployment: { input: ByDeployment.extend({ labels: Labels }), output: Deployment },
  deleteDeployment: { input: ByDeployment, output: Nothing },
  listDomains: { input: Cursor, output: DomainList },
  /** Adds a domain, or points it at another deployment. */
  putDomain: {
    input: ByDomain.extend({ deployment: z.string().max(300).optional(), labels: Labels.optional() }),
    output: Domain,
  },
  verifyDomain: { input: ByDomain, output: VerifiedDomain },
  readRecords: { input: ByDomain, output: DomainRecords },
  shareDomain: { input: ByDomain, output: DomainShare },
  deleteDomain: { input: ByDomain, output: Nothing },
  listActivities: { input: ActivityPage, output: ActivityList },
  listSites: { input: Cursor.extend({ search: z.string().max(200).optional() }), output: SiteList },
  /** Reads a site by its domain, or by the id of its deployment. */
  readSite: { input: z.object({ site: Name }), output: Site },
  /** Deletes a domain with its deployments, or a deployment. */
  deleteSite: { input: z.object({ site: Name }), output: Nothing },
  readDeployment: { input: ByDeployment, output: Deployment },
  changeDeployment: { input: DeploymentPatch, output: Deployment },
  readChanges: { input: ByDeployment.extend({ from: z.string().max(300) }), output: DeploymentChanges },
  listDomainVersions: { input: Cursor.extend({ domain: Name }), output: DomainVersionList },
  readDomain: { input: ByDomain, output: Domain },
  validateDomain: { input: ByDomain, output: DomainValidation },
  readProvider: { input: ByDomain, output: DomainDns },

  /** Checks that the address belongs to a Berth server that can be reached. Changes nothing. */
  checkServer: {
    input: z.object({ address: z.string().trim().min(1).max(2_048) }),
    output: z.object({ origin: z.url() }),
  },
  /** Checks that the address belongs to a Berth server, adds the server, and makes it the current server. */
  addServer: {
    input: z.object({ address: z.string().trim().min(1).max(2_048) }),
    output: z.object({ origin: z.url() }),
  },
  chooseServer: { input: z.object({ origin: z.url() }), output: Nothing },
  /** Removes a server and its key, and pauses its folders. The last server cannot be removed. */
  removeServer: { input: z.object({ origin: z.url() }), output: Nothing },
  /**
   * Begins to sign in to the current server in the browser, and opens the page there. The person types the code on the page.
   * Returns `null` if the server does not offer this way.
   */
  beginSignIn: { input: Nothing, output: z.object({ code: z.string(), page: z.url() }).nullable() },
  /** Waits until the person has approved the sign-in that has begun, and signs in. */
  awaitSignIn: { input: Nothing, output: z.object({ email: z.string() }) },
  cancelSignIn: { input: Nothing, output: Nothing },
  /** Signs in to the current server with a key, after the server has confirmed the key's account. */
  signIn: { input: z.object({ key: z.string().trim().min(1).max(512) }), output: z.object({ email: z.string() }) },
  signOut: { input: Nothing, output: Nothing },
  /** Reads the account and its usage from the current server. */
  refreshAccount: { input: Nothing, output: Nothing },

  changeSettings: { input: Settings.partial().strict(), output: Settings },
  copy: { input: z.object({ text: z.string().min(1).max(8_192) }), output: Nothing },
  /** Opens a page in the browser. Allows only `https:` without credentials, and `http:` on the hosts of known servers. */
  openLink: { input: z.object({ url: z.string().max(4_096) }), output: Nothing },
  /** Shows the main window. With `choose`, the user then chooses a folder there, which is published. */
  showWindow: { input: Target.extend({ choose: z.boolean().optional() }), output: Nothing },
  restartToUpdate: { input: Nothing, output: Nothing },
} as const satisfies Record<CommandName, { input: z.ZodType; output: z.ZodType }>;

/** The events that the app sends to the page, with their data. */
export const events = {
  publishings: z.array(Publishing),
  folders: z.array(WatchedFolder),
  siteFolders: z.array(SiteFolder),
  session: Session,
  settings: Settings,
  update: Update,
  /** A drop has used the options of the next drop, which are now empty. */
  dropTaken: z.object({}),
  /** A new activity of the account on the current server. */
  activity: Activity,
  /** From now on, every activity is sent. A list that was read earlier may lack some activities. */
  following: z.object({}),
  /** Requests that the window shows a page. */
  navigate: Target,
  /** A problem that belongs to no card, such as an invalid link. */
  problem: z.object({ problem: Problem }),
} as const satisfies Record<EventName, z.ZodType>;

export type CommandInput<C extends CommandName> = z.input<(typeof commands)[C]['input']>;
export type CommandOutput<C extends CommandName> = z.output<(typeof commands)[C]['output']>;
export type EventData<E extends EventName> = z.output<(typeof events)[E]>;

/** The result of a command. Errors are values because Electron passes only the message of an exception to the page. */
export type Answer<T> = { ok: true; value: T } | { ok: false; problem: Problem };

type Command<C extends CommandName> =
  undefined extends CommandInput<C>
    ? (input?: CommandInput<C>) => Promise<Answer<CommandOutput<C>>>
    : (input: CommandInput<C>) => Promise<Answer<CommandOutput<C>>>;

/** The API that the page finds at `window.desktop`. */
export interface DesktopApi {
  /** One function for each command. The functions never reject. */
  commands: { readonly [C in CommandName]: Command<C> };
  /** One function for each event, which subscribes to the event and returns a function that unsubscribes. */
  events: { readonly [E in EventName]: (listener: (data: EventData<E>) => void) => () => void };
  /** Turns dropped files and folders into grants. Skips items that are not on a disk or cannot be read. */
  grant(files: readonly File[]): Promise<Answer<GivenItem[]>>;
}
