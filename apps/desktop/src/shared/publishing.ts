import { z } from 'zod';
import { Problem } from './problem.ts';
import { SkippedFileGroup, Progress } from './progress.ts';

/** A token for a path that the user picked. A grant works once, and only the main process knows the path. */
export const Grant = z.string().regex(/^[0-9a-f]{32}$/);

/** The id of a publish job or a watched folder: 16 random hex digits. */
export const Id = z.string().regex(/^[0-9a-f]{16}$/);

/** A folder or file that the user picked. The kind is `unknown` if the drive does not respond. */
export const GivenItem = z.object({ grant: Grant, name: z.string(), kind: z.enum(['folder', 'file', 'unknown']) });
export type GivenItem = z.infer<typeof GivenItem>;

/** The options of a publish. */
export const PublishOptions = z.object({
  /** The domain of the site: a full name, or only the first label for a name below the platform domain. */
  domain: z.string().trim().min(1).max(300).optional(),
  labels: z.array(z.string().max(64)).max(10).optional(),
  /** The password that visitors must enter. */
  password: z.string().min(1).max(512).optional(),
});
export type PublishOptions = z.infer<typeof PublishOptions>;

/** The options of the next drop exactly as the user typed them, so they may be invalid. */
export const NextDropOptions = z.object({
  domain: z.string().max(1_000).optional(),
  labels: PublishOptions.shape.labels,
  password: z.string().max(1_000).optional(),
});
export type NextDropOptions = z.infer<typeof NextDropOptions>;

/** How to build a project, and the folder inside it that then contains the site. */
export const Build = z.object({
  /** The name of the framework, for people. */
  framework: z.string(),
  folder: z.string(),
  command: z.string(),
  /** What the user must change before the build gives a static site; `null` if nothing. */
  advice: z.string().nullable(),
});
export type Build = z.infer<typeof Build>;

/** The end of the output of a build. */
export const BuildOutput = z.object({ command: z.string(), text: z.string(), isRunning: z.boolean() });
export type BuildOutput = z.infer<typeof BuildOutput>;

/** A question about a folder that the user probably did not mean to publish. The app asks before the folder becomes public. */
export const FolderQuestion = z.object({
  about: z.enum([
    /** The folder has no `index.html` at its root. */
    'no-front-page',
    /** The folder is the source of a site: it has a `package.json` or similar, and either no front page or a build folder. */
    'project',
    /** The folder is the home folder, the desktop, Documents, Downloads, or a whole disk. */
    'personal',
  ]),
  /** The folders inside this folder that the user more likely meant. */
  suggestions: z.array(z.object({ grant: Grant, name: z.string() })).max(5),
  /** How to build the project; `null` if the folder needs no build. */
  build: Build.nullable(),
  /** The confirmation of this folder. A command that contains it publishes or watches the folder without a question. */
  anyway: Grant,
});
export type FolderQuestion = z.infer<typeof FolderQuestion>;

/** A question that the user must answer before a publish job starts. */
export const Question = z.object({
  about: z.enum([
    ...FolderQuestion.shape.about.options,
    /** The item was pasted, which easily happens by mistake. */
    'pasted',
    /** A site is published from the folder already. */
    'update',
  ]),
  suggestions: FolderQuestion.shape.suggestions,
  /** How to build the project; absent if the folder needs no build. */
  build: Build.optional(),
  /** The domain of the site that is published from the folder already. */
  site: z.string().optional(),
});
export type Question = z.infer<typeof Question>;

/** A warning about a published file. */
const FileWarning = z.object({ file: z.string(), line: z.int().nullable(), message: z.string() });

/** The result of a publish job. */
export const Published = z.object({
  deployment: z.string(),
  /** The link to share: the link of the domain once it is served, otherwise the link of the deployment. */
  url: z.url(),
  domain: z.string().nullable(),
  /** The origin of the server. */
  server: z.url(),
  files: z.int(),
  bytes: z.number(),
  /** The time of publishing, in Unix milliseconds. */
  at: z.number(),
  /** The time when the deployment expires, in Unix seconds; `null` if it does not expire. */
  expires: z.number().nullable(),
  /** The link that claims the deployment; `null` once the deployment belongs to an account. */
  claim: z.url().nullable(),
  password: z.boolean(),
  /** True if the link was copied to the clipboard. */
  copied: z.boolean(),
  notices: z.array(FileWarning).max(20),
});
export type Published = z.infer<typeof Published>;

/** The state of a publish job. */
export const PublishingState = z.discriminatedUnion('is', [
  z.object({ is: z.literal('asking'), question: Question }),
  /** The publish job waits for the publish jobs before it. */
  z.object({ is: z.literal('queued') }),
  /** The build of the project runs. Its output is in `build`. */
  z.object({ is: z.literal('building') }),
  z.object({ is: z.literal('working'), progress: Progress }),
  z.object({ is: z.literal('published'), published: Published }),
  z.object({ is: z.literal('failed'), problem: Problem }),
  z.object({ is: z.literal('cancelled') }),
]);
export type PublishingState = z.infer<typeof PublishingState>;

/** One drop and its progress until it has a link. */
export const Publishing = z.object({
  id: Id,
  /** The name of the folder or the single file; the number of files, such as `3 files`, for several files. */
  name: z.string(),
  kind: z.enum(['folder', 'files']),
  /** The time when the publish job began, in Unix milliseconds. */
  begun: z.number(),
  state: PublishingState,
  leftOut: z.array(SkippedFileGroup),
  /** The output of the last build since the app started; `null` without a build. */
  build: BuildOutput.nullable(),
  /** True if the item is a folder that still exists and is not watched yet. */
  watchable: z.boolean(),
});
export type Publishing = z.infer<typeof Publishing>;
