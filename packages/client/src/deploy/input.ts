import type { CreatedDeployment } from '@berth/contract';
import type { BerthClient } from '../client.ts';
import type { FolderDisk } from '../folder/disk.ts';
import type { ReadFolder } from '../folder/read-folder.ts';
import type { RetryPolicy } from '../retry.ts';

/** The abort reason of a caller that will not resume the deploy. The upload is then aborted on the server too. */
export const CANCELLED: DOMException = new DOMException('The deploy was cancelled.', 'AbortError');

/** The options of a deploy, besides its files. */
export interface Publication {
  client: BerthClient;
  /**
   * The domain to point at the deployment, in the same step: its full name or, below the platform domain, its first label. It is
   * created if necessary; if it is refused, nothing is published. Needs an API key, or a deploy token limited to this domain.
   */
  domain?: string | undefined;
  /**
   * With `domain`: how many versions of the domain to keep, this deployment included. The server deletes older ones in the same
   * step, and lists them as `deleted`. Default: all.
   */
  keep?: number | undefined;
  labels?: readonly string[] | undefined;
  /**
   * The password for visitors: 6 to 128 characters. `null` publishes without a password; with a domain, a deploy token cannot.
   * Default: the password of the deployment that the domain shows; without a domain, the password of the previous version if
   * only the difference is sent, otherwise none.
   */
  password?: string | null | undefined;
  /** Seconds until the deployment expires. Needs a credential, and cannot be combined with a domain. */
  ttl?: number | undefined;
  /** The program that publishes, such as `cli`. Default: `api`, set by the server. */
  via?: string | undefined;
}

export interface DeployFolderInput extends Publication {
  /** The folder, absolute or relative to the working folder; or an HTML file, which becomes the front page of its site. */
  folder: string;
  /** What to skip besides the lines of `.berthignore`, in the same syntax. Default: nothing. */
  ignore?: readonly string[] | undefined;
}

/** A file in memory. */
export interface FileInput {
  /** The path of the file on the site, `/`-separated. */
  path: string;
  content: string | Uint8Array;
}

export interface DeployFilesInput extends Publication {
  files: readonly FileInput[];
}

export interface DeployArchiveInput extends Publication {
  /**
   * A tar archive, which may be compressed with gzip or zstd, or a zip archive: the path of its file, or a stream of its bytes. The
   * first bytes determine the format. A deploy from a file is retried after temporary failures; a stream can be sent only once,
   * unless it is at most 4 MiB.
   */
  archive: string | AsyncIterable<Uint8Array>;
}

export interface DeployOptions {
  /**
   * Aborts the deploy. The server keeps the contents that it received, and the next run of `deployFolder` resumes the upload.
   * If the reason is {@link CANCELLED}, the upload is also aborted on the server, and no longer counts as storage.
   */
  signal?: AbortSignal | undefined;
  /** Where to remember hashes and the last deployment. Default: `berth` in the cache folder of the system. */
  cacheDir?: string | undefined;
  /** Whether to send only missing contents. If false, all files are sent in one multipart request. Default: true. */
  delta?: boolean | undefined;
  /**
   * Called as soon as the deployment exists. The deploy can be resumed until the returned promise resolves. So a program that
   * saves the deployment here can be killed at any moment: it has either saved the deployment, or its next run with the same
   * input returns the same deployment.
   */
  onCommitted?: ((deployment: CreatedDeployment) => Promise<void>) | undefined;
  /** How to retry after temporary failures. Default: {@link DEFAULT_RETRIES}. */
  retries?: Partial<RetryPolicy> | undefined;
}

export interface DeployFolderOptions extends DeployOptions {
  /** A recent result of `readFolder`. Exactly these files are published; the folder is not read again. */
  snapshot?: ReadFolder | undefined;
  /** Reads the folder. Default: the calling thread does. */
  disk?: FolderDisk | undefined;
}
