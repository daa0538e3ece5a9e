import { z } from 'zod';
import { Problem } from './problem.ts';
import { LeftOut, Progress } from './progress.ts';

/** What stands for a path that the user gave: one use, known to the main process alone. */
export const Grant = z.string().regex(/^[0-9a-f]{32}$/);

/** Names something of the app: random, 16 hex digits. */
export const Id = z.string().regex(/^[0-9a-f]{16}$/);

/** What the user gave: a folder, or files. `unknown`: its drive does not answer. */
export const Given = z.object({ grant: Grant, name: z.string(), kind: z.enum(['folder', 'file', 'unknown']) });
export type Given = z.infer<typeof Given>;

/** What may be asked for besides the files. */
export const PublishOptions = z.object({
  /** The domain that shows it: a whole name, or the first part of one below the platform domain. */
  domain: z.string().trim().min(1).max(300).optional(),
  labels: z.array(z.string().max(64)).max(10).optional(),
  /** What visitors have to enter. */
  password: z.string().min(1).max(512).optional(),
});
export type PublishOptions = z.infer<typeof PublishOptions>;

/** What the user sets for the next drop, as typed: it may not be usable yet. */
export const NextDropOptions = z.object({
  domain: z.string().max(1_000).optional(),
  labels: PublishOptions.shape.labels,
  password: z.string().max(1_000).optional(),
});
export type NextDropOptions = z.infer<typeof NextDropOptions>;

/** What is asked about a folder before it becomes public, when it is likely not the one that was meant. */
export const FolderQuestion = z.object({
  about: z.enum([
    /** There is no `index.html` at its root. */
    'no-front-page',
    /** It is the source of a site: there is a `package.json`, or the like, and no front page, or a build beside it. */
    'project',
    /** A home folder, a desktop, a folder of documents or downloads, a whole disk. */
    'personal',
  ]),
  /** Folders in it that look like what was meant. */
  suggestions: z.array(z.object({ grant: Grant, name: z.string() })).max(5),
  /** Confirms this very folder: a command that carries it does not ask again. */
  anyway: Grant,
});
export type FolderQuestion = z.infer<typeof FolderQuestion>;

/** What is asked before something is published. */
export const Question = z.object({
  about: z.enum([
    ...FolderQuestion.shape.about.options,
    /** It was pasted, which is easily done by mistake. */
    'pasted',
  ]),
  suggestions: FolderQuestion.shape.suggestions,
});
export type Question = z.infer<typeof Question>;

/** Something worth knowing about what was published. */
export const Notice = z.object({ file: z.string(), line: z.int().nullable(), message: z.string() });

/** What a publishing led to. */
export const Published = z.object({
  deployment: z.string(),
  /** The link to give away: that of the domain, once it serves, else that of the deployment. */
  url: z.url(),
  domain: z.string().nullable(),
  /** The origin of the server. */
  server: z.url(),
  files: z.int(),
  bytes: z.number(),
  /** Unix milliseconds. */
  at: z.number(),
  /** When it is gone, in Unix seconds; `null` for what stays. */
  expires: z.number().nullable(),
  /** The link by which an account takes it over, until one has. */
  claim: z.url().nullable(),
  password: z.boolean(),
  /** Whether the link was put on the clipboard. */
  copied: z.boolean(),
  notices: z.array(Notice).max(20),
});
export type Published = z.infer<typeof Published>;

/** Where a publishing stands. */
export const PublishingState = z.discriminatedUnion('is', [
  z.object({ is: z.literal('asking'), question: Question }),
  /** Others come first. */
  z.object({ is: z.literal('queued') }),
  z.object({ is: z.literal('working'), progress: Progress }),
  z.object({ is: z.literal('published'), published: Published }),
  z.object({ is: z.literal('failed'), problem: Problem }),
  z.object({ is: z.literal('cancelled') }),
]);
export type PublishingState = z.infer<typeof PublishingState>;

/** One drop, from the moment it falls to its link. */
export const Publishing = z.object({
  id: Id,
  /** Of the folder, or of the one file; `3 files` for several. */
  name: z.string(),
  kind: z.enum(['folder', 'files']),
  /** Unix milliseconds. */
  begun: z.number(),
  state: PublishingState,
  leftOut: z.array(LeftOut),
  /** Whether it is a folder that is there and is not watched yet. */
  watchable: z.boolean(),
});
export type Publishing = z.infer<typeof Publishing>;
