import { z } from 'zod';
import { Password, Ttl } from './deploy-form.ts';
import { Labels } from './labels.ts';
import { list } from './lists.ts';
import { DeploymentReference } from './names.ts';
import { MAX_NAME_LENGTH, MAX_PATH_BYTES } from './paths.ts';

/** The content type of a body of contents: see {@link CONTENT_HEAD_BYTES}. */
export const CONTENTS_TYPE = 'application/vnd.berth.contents';

/**
 * The length of the header of each content in the body: its SHA-256, 32 bytes, then its length, 8 bytes, big-endian.
 * The bytes of the content follow, then the next header. Source: api §9.
 */
export const CONTENT_HEAD_BYTES = 40;

/** How long an upload can be committed after it began, in seconds. */
export const UPLOAD_SECONDS = 24 * 60 * 60;

const MALFORMED_SHA256 = 'a SHA-256 must be 64 lower-case hex digits';

/** The name of a file, before it is parsed. */
const FileName = z.string().max(MAX_NAME_LENGTH, `a path must have at most ${MAX_PATH_BYTES} bytes`);
/** The maximum number of open uploads per credential, and per anonymous address. */
export const MAX_OPEN_UPLOADS = 20;
export const MAX_ANONYMOUS_UPLOADS = 3;

/** How long an upload must be idle before a further upload may replace it, in seconds. */
export const UPLOAD_IDLE_SECONDS = 10 * 60;

/** A file to publish: its path, its size in bytes and the hash of its content. */
export const UploadFile = z.object({
  path: FileName.describe('The path of the file in the site.').meta({ example: 'docs/index.html' }),
  size: z.int().min(0, 'a size must be a number of bytes').describe('In bytes.'),
  sha256: z
    .string()
    .max(64, MALFORMED_SHA256)
    .regex(/^[0-9a-f]{64}$/, MALFORMED_SHA256)
    .describe('The SHA-256 of its bytes, as 64 lower-case hex digits.'),
});
export type UploadFile = z.infer<typeof UploadFile>;

/** The options of an upload; the same as in a multipart deploy. Source: api §3. */
const UploadOptions = z.object({
  labels: Labels.optional(),
  password: Password.nullable()
    .optional()
    .describe(
      'Protects the site: visitors must enter this password. The API never returns it. If absent, the password of a protected `base` is kept; `null` publishes without a password. A deploy token cannot change the password of a protected base.',
    ),
  via: z.string().optional().describe('The tool that makes this deployment: at most 32 characters of `a-z0-9._-`.'),
  ttl: Ttl.optional().describe('Seconds until the deployment expires. Needs a credential.'),
});
type UploadOptions = z.infer<typeof UploadOptions>;

/** An upload that lists every file. */
export type WholeUpload = UploadOptions & { files: UploadFile[]; base?: undefined };

/** An upload that lists the changes to a deployment of the same account. */
export type ChangeUpload = UploadOptions & { base: string; put: UploadFile[]; remove: string[]; files?: undefined };

/** Begins an upload: with every file, or with changes to a base. */
export type BeginUpload = WholeUpload | ChangeUpload;

/** One object of optional fields, so that errors name the field. The allowed combinations are checked last. */
export const BeginUpload = z
  .object({
    files: list(UploadFile)
      .min(1, 'a deploy must have at least one file')
      .optional()
      .describe('Every file of the site.'),
    base: DeploymentReference.optional().describe('The deployment of the same account that the upload changes.'),
    put: list(UploadFile).optional().describe('With `base`: the added and changed files.'),
    remove: list(FileName)
      .optional()
      .describe('With `base`: the paths of the removed files. Paths that do not exist are ignored.'),
    ...UploadOptions.shape,
  })
  .superRefine(({ files, base, put, remove }, { addIssue }) => {
    const wrong = (path: string, message: string) => addIssue({ code: 'custom', path: [path], message });
    if (files === undefined && base === undefined)
      wrong('files', 'is required: send every file, or base, put and remove');
    if (files !== undefined && (base ?? put ?? remove) !== undefined)
      wrong('base', 'with base, send put and remove instead of files');
    if (base !== undefined && files === undefined) {
      if (put === undefined) wrong('put', 'is required: list the added and changed files, or []');
      if (remove === undefined) wrong('remove', 'is required: list the paths of the removed files, or []');
    }
  }) as unknown as z.ZodType<BeginUpload, BeginUpload>;

/** An open upload: its id, which only the caller learns, and the contents that are missing. */
export const BegunUpload = z
  .object({
    upload: z
      .string()
      .describe('The id of the upload. Keep it secret: it is enough to continue an anonymous upload.')
      .meta({ example: '0123456789abcdef0123456789abcdef' }),
    missing: z.array(z.string()).describe('The SHA-256 of each content that must still be sent.'),
  })
  .meta({ id: 'BegunUpload' });
export type BegunUpload = z.infer<typeof BegunUpload>;

/** The id of an upload. An unreadable one gets the same 404 as a missing upload. */
export const CommitUpload = z.object({
  upload: z
    .string()
    .max(300, 'the id of an upload must have 32 characters')
    .describe('The id of the upload, from `POST /uploads`.')
    .meta({ example: '0123456789abcdef0123456789abcdef' }),
});

/** Names the upload to abort. */
export const AbortUpload = CommitUpload;
export const AbortedUpload = z.object({ upload: z.string() });

/** The result of sending a body of contents. */
export const ReceivedContents = z
  .object({
    received: z.int().describe('Number of contents of this body that were stored.'),
    missing: z.int().describe('Number of contents that must still be sent.'),
  })
  .meta({ id: 'ReceivedContents' });
export type ReceivedContents = z.infer<typeof ReceivedContents>;
