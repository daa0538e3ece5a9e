import { z } from 'zod';
import { Problem } from './problem.ts';
import { LeftOut, Progress } from './progress.ts';

/** A token for a path that the user picked. It works once, and only the main process knows the path. */
export const Grant = z.string().regex(/^[0-9a-f]{32}$/);

/** The id of a publishing or a watched folder: 16 random hex digits. */
export const Id = z.string().regex(/^[0-9a-f]{16}$/);

/** A folder or file that the user picked. `unknown`: its drive does not respond. */
export const Given = z.object({ grant: Grant, name: z.string(), kind: z.enum(['folder', 'file', 'unknown']) });
export type Given = z.infer<typeof Given>;

/** The options of a publish. */
export const PublishOptions = z.object({
  /** The domain of the site: a full name, or only its first label for a name below the platform domain. */
  domain: z.string().trim().min(1).max(300).optional(),
  labels: z.array(z.string().max(64)).max(10).optional(),
  /** The password that visitors must enter. */
  password: z.string().min(1).max(512).optional(),
});
export type PublishOptions = z.infer<typeof PublishOptions>;

/** The options of the next drop exactly as the user typed them. They may still be invalid. */
export const NextDropOptions = z.object({
  domain: z.string().max(1_000).optional(),
  labels: PublishOptions.shape.labels,
  password: z.string().max(1_000).optional(),
});
export type NextDropOptions = z.infer<typeof NextDropOptions>;

/** A question about a folder that the user probably did not mean to publish. It is asked before the folder becomes public. */
export const FolderQuestion = z.object({
  about: z.enum([
    /** There is no `index.html` at its root. */
    'no-front-page',
    /** It is the source of a site: it has a `package.json` or similar, and either no front page or a build folder. */
    'project',
    /** It is the home folder, the desktop, Documents, Downloads, or a whole disk. */
    'personal',
  ]),
  /** Folders inside it that are more likely the right ones. */
  suggestions: z.array(z.object({ grant: Grant, name: z.string() })).max(5),
  /** Confirms this folder: a command that passes it is not asked again. */
  anyway: Grant,
});
export type FolderQuestion = z.infer<typeof FolderQuestion>;

/** A question that must be answered before something is published. */
export const Question = z.object({
  about: z.enum([
    ...FolderQuestion.shape.about.options,
    /** It was pasted, which easily happens by mistake. */
    'pasted',
  ]),
  suggestions: FolderQuestion.shape.suggestions,
});
export type Question = z.infer<typeof Question>;

/** A warning about a published file. */
export const FileWarning = z.object({ file: z.string(), line: z.int().nullable(), message: z.string() });
export type FileWarning = z.infer<typeof FileWarning>;

/** The result of a publishing. */
export const Published = z.object({
  deployment: z.string(),
  /** The link to share: the domain's once it is served, otherwise the deployment's. */
  url: z.url(),
  domain: z.string().nullable(),
  /** The origin of the server. */
  server: z.url(),
  files: z.int(),
  bytes: z.number(),
  /** Unix milliseconds. */
  at: z.number(),
  /** The time it expires, in Unix seconds; `null` if it does not. */
  expires: z.number().nullable(),
  /** The link to claim the deployment with; `null` once it belongs to an account. */
  claim: z.url().nullable(),
  password: z.boolean(),
  /** True if the link was copied to the clipboard. */
  copied: z.boolean(),
  notices: z.array(FileWarning).max(20),
});
export type Published = z.infer<typeof Published>;

/** The state of a publishing. */
export const PublishingState = z.discriminatedUnion('is', [
  z.object({ is: z.literal('asking'), question: Question }),
  /** Waits for the publishings before it. */
  z.object({ is: z.literal('queued') }),
  z.object({ is: z.literal('working'), progress: Progress }),
  z.object({ is: z.literal('published'), published: Published }),
  z.object({ is: z.literal('failed'), problem: Problem }),
  z.object({ is: z.literal('cancelled') }),
]);
export type PublishingState = z.infer<typeof PublishingState>;

/** One drop, from the moment the user drops it until it has a link. */
export const Publishing = z.object({
  id: Id,
  /** The name of the folder or the single file; `3 files` for several. */
  name: z.string(),
  kind: z.enum(['folder', 'files']),
  /** Unix milliseconds. */
  begun: z.number(),
  state: PublishingState,
  leftOut: z.array(LeftOut),
  /** True if it is a folder that still exists and is not watched yet. */
  watchable: z.boolean(),
});
export type Publishing = z.infer<typeof Publishing>;
