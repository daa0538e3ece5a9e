import { z } from 'zod';
import { Password, Ttl } from './deploy-form.ts';
import { Labels } from './labels.ts';
import { DeploymentReference } from './names.ts';

/** The type of a body that carries contents: see {@link CONTENT_HEAD_BYTES}. */
export const CONTENTS_TYPE = 'application/vnd.berth.contents';

/**
 * What stands before each content of such a body: its SHA-256, 32 bytes, and its length, 8 bytes, the first one the most
 * significant. The bytes of the content follow, then the next content. Source: contract §9.
 */
export const CONTENT_HEAD_BYTES = 40;

/** How long an upload may be committed, in seconds. Source: contract §9. */
export const UPLOAD_SECONDS = 24 * 60 * 60;

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'a SHA-256 is 64 lower-case hex digits');

/** A file that is to be published: its path, its size in bytes, and which content it is. Source: contract §9. */
export const UploadFile = z.object({ path: z.string(), size: z.int().min(0), sha256: Sha256 });
export type UploadFile = z.infer<typeof UploadFile>;

const UploadOptions = z.object({
  labels: Labels.optional(),
  password: Password.optional(),
  via: z.string().optional(),
  ttl: Ttl.optional(),
});

/** Begins an upload: with every file, or as a change of a deployment of the same account. Source: contract §9. */
export const BeginUpload = z.union([
  UploadOptions.extend({ files: z.array(UploadFile).min(1, 'a deploy has at least one file') }).strict(),
  UploadOptions.extend({
    base: DeploymentReference,
    put: z.array(UploadFile),
    remove: z.array(z.string()),
  }).strict(),
]);
export type BeginUpload = z.input<typeof BeginUpload>;

/** An upload that is open: its name, which nobody else knows, and what is still to be sent. Source: contract §9. */
export const BegunUpload = z.object({
  upload: z.string(),
  missing: z.array(z.string()).describe('The SHA-256 of each content that is still to be sent.'),
});
export type BegunUpload = z.infer<typeof BegunUpload>;

export const CommitUpload = z.object({ upload: z.string() });

/** What came of a body of contents. */
export const ReceivedContents = z.object({
  received: z.int().describe('Contents of this body that are stored now.'),
  missing: z.int().describe('Contents that are still to be sent.'),
});
export type ReceivedContents = z.infer<typeof ReceivedContents>;
