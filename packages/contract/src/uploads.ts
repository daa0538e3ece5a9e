import { z } from 'zod';
import { DeployOptions, Password } from './deploy-form.ts';
import { list } from './lists.ts';
import { DeploymentReference } from './names.ts';
import { MAX_NAME_LENGTH, MAX_PATH_BYTES } from './paths.ts';

/** The media type of a body of contents, whose format {@link CONTENT_HEAD_BYTES} describes. */
export const CONTENTS_TYPE = 'application/vnd.berth.contents';

/**
 * The length of the header before each content in a body: 32 bytes of SHA-256, then the length of the content as 8 bytes,
 * big-endian. The bytes of the content follow the header. Source: api §9.
 */
export const CONTENT_HEAD_BYTES = 40;

const MALFORMED_SHA256 = 'a SHA-256 must be 64 lower-case hex digits';

const FileName = z.string().max(MAX_NAME_LENGTH, `a path must have at most ${MAX_PATH_BYTES} bytes`);

/** The maximum number of open uploads of one credential. */
export const MAX_OPEN_UPLOADS = 20;
/** The maximum number of open uploads of one anonymous address. */
export const MAX_ANONYMOUS_UPLOADS = 3;

/** How long an upload must be idle before a new upload may replace it, in seconds. */
export const UPLOAD_IDLE_SECONDS = 10 * 60;

/** A file to publish: its path, its size in bytes and the hash of its content. */
export const UploadFile = z
  .object({
    path: FileName.describe('The path of the file in the site.').meta({ example: 'docs/index.html' }),
    size: z.int().min(0, 'a size must be at least 0 bytes').describe('The size of the file, in bytes.'),
    sha256: z
      .string()
      .max(64, MALFORMED_SHA256)
      .regex(/^[0-9a-f]{64}$/, MALFORMED_SHA256)
      .describe('The SHA-256 of the file, as 64 lower-case hex digits.'),
  })
  .meta({ id: 'UploadFile' });
export type UploadFile = z.infer<typeof UploadFile>;

/** The options of an upload, which are those of a multipart deploy. Source: api §3. */
const UploadOptions = DeployOptions.extend({
  password: Password.nullable()
    .optional()
    .describe(
      'Protects the site: visitors must enter this password. The API never returns it. If absent, the password of the deployment that `domain` shows is kept, or else that of a protected `base`; `null` is the same as `open`. A deploy token cannot change the password of a protected base.',
    ),
});
type UploadOptions = z.infer<typeof UploadOptions>;

/** An upload that lists every file. */
export type WholeUpload = UploadOptions & { files: UploadFile[]; base?: undefined };

/** An upload that lists the changes to a deployment of the same account. */
export type ChangeUpload = UploadOptions & { base: string; put: UploadFile[]; remove: string[]; files?: undefined };

/** The request that begins an upload: it lists every file, or the changes to a base. */
export type BeginUpload = WholeUpload | ChangeUpload;

/** Checks the allowed combinations last, so that an error about a field names the field. */
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
    const addFieldIssue = (path: string, message: string) => addIssue({ code: 'custom', path: [path], message });
    if (files === undefined && base === undefined)
      addFieldIssue('files', 'an upload must list every file in files, or its changes in base, put and remove');
    if (files !== undefined && (base ?? put ?? remove) !== undefined)
      addFieldIssue('base', 'with base, send put and remove instead of files');
    if (base !== undefined && files === undefined) {
      if (put === undefined) addFieldIssue('put', 'with base, put must list the added and changed files, or be []');
      if (remove === undefined) addFieldIssue('remove', 'with base, remove must list the removed paths, or be []');
    }
  })
  .meta({ id: 'BeginUpload' }) as unknown as z.ZodType<BeginUpload, BeginUpload>;

/** An open upload: its secret id, and the missing contents. */
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

/** The path parameter that names an upload. An unreadable id gets the same 404 as a missing upload. */
export const CommitUpload = z.object({
  upload: z
    .string()
    .max(300, 'the id of an upload must have 32 characters')
    .describe('The id of the upload, from `POST /uploads`.')
    .meta({ example: '0123456789abcdef0123456789abcdef' }),
});

export const AbortedUpload = z.object({ upload: z.string() }).meta({ id: 'AbortedUpload' });

/** The body of the response to `PUT /uploads/{upload}/contents`. */
export const ReceivedContents = z
  .object({
    received: z.int().describe('Number of contents of this body that were stored.'),
    missing: z.int().describe('Number of contents that must still be sent.'),
  })
  .meta({ id: 'ReceivedContents' });
export type ReceivedContents = z.infer<typeof ReceivedContents>;
