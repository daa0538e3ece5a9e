import type { CreatedDeployment } from '@berth/contract';
import type { BerthClient } from '../client.ts';
import type { ReadFolder } from '../folder/read-folder.ts';
import type { RetryPolicy } from '../retry.ts';

/** The reason of a signal for a publication that will not be resumed: its upload is dropped. */
export const CANCELLED: DOMException = new DOMException('The publication was cancelled.', 'AbortError');

/** What is asked for besides the files. */
export interface Publication {
  client: BerthClient;
  /** The domain that shows the deployment from then on. It needs an API key. */
  domain?: string | undefined;
  labels?: readonly string[] | undefined;
  /**
   * Visitors need it: 6 to 128 characters; an empty one is an error. Default: the password of the version that is changed, where
   * only the difference is sent, else none. `null` publishes without one.
   */
  password?: string | null | undefined;
  /** Seconds until the deployment expires. It needs a credential, and goes without a domain. */
  ttl?: number | undefined;
  /** What publishes, such as `cli`. Default: the server's `api`. */
  via?: string | undefined;
}

export interface DeployFolderInput extends Publication {
  /** The folder, absolute or relative to the working folder. */
  folder: string;
}

/** A file that is not on disk. */
export interface FileInput {
  /** Relative to the site, `/`-separated. */
  path: string;
  content: string | Uint8Array;
}

export interface DeployFilesInput extends Publication {
  files: readonly FileInput[];
}

export interface DeployOptions {
  /**
   * Gives up. What was sent stays on the server for a while, and the next run of `deployFolder` resumes it. Aborted with
   * {@link CANCELLED} as its reason, it also drops the upload, which stops counting as storage.
   */
  signal?: AbortSignal | undefined;
  /** Where hashes, and what was published, are remembered. Default: `berth` in the system's folder for caches. */
  cacheDir?: string | undefined;
  /** Whether only what the server lacks is sent, where it can tell. Default: true. */
  delta?: boolean | undefined;
  /**
   * Hears of the deployment as soon as there is one, and is waited for before the engine forgets how it got there. So a program
   * that keeps it, and is killed at any moment, finds it kept, or gets the very same one by asking for the same again.
   */
  onCommitted?: ((deployment: CreatedDeployment) => Promise<void>) | undefined;
  /** Default: {@link DEFAULT_RETRIES}. */
  retries?: Partial<RetryPolicy> | undefined;
}

export interface DeployFolderOptions extends DeployOptions {
  /** What `readFolder` read of the folder a moment ago, which is published, file for file; it is not read again then. */
  snapshot?: ReadFolder | undefined;
}
