import { setImmediate as nextTurn } from 'node:timers/promises';
import type { UploadFile } from '@berth/contract';
import { LRUCache } from 'lru-cache';
import type { Core } from '../../core.ts';
import { type ContentLengths, numberArray, packHashes, textArray } from '../packs/contents.ts';
import { buildPathIndex, type PathIndex } from '../sites/path-index.ts';

/** The files of a deployment or an upload, as columns of a table and parameters of a statement. */
export interface FileColumns {
  paths: string;
  hashes: Buffer;
  sizes: string;
}

/** Returns the column with the paths of files. */
export function pathColumnOf(files: readonly UploadFile[]): string {
  return textArray(files.map(({ path }) => path));
}

/** Returns the columns with the hashes and sizes of files. */
export function contentColumnsOf(files: readonly UploadFile[]): Pick<FileColumns, 'hashes' | 'sizes'> {
  return { hashes: packHashes(files.map(({ sha256 }) => sha256)), sizes: numberArray(files.map(({ size }) => size)) };
}

/**
 * The manifest of a deployment that is being published. With many files each part takes several milliseconds, so it is prepared
 * once, and other requests are served between two parts.
 */
export class Manifest {
  readonly files: readonly UploadFile[];
  #contents: ContentLengths | undefined;
  #pathIndex: Promise<PathIndex> | undefined;
  #columns: Promise<FileColumns> | undefined;

  /** @param samePathsAs A manifest that has the same paths in the same order; `null` if none is known. Its path index is used. */
  constructor(files: readonly UploadFile[], samePathsAs: Manifest | null = null) {
    this.files = files;
    if (samePathsAs) this.#pathIndex = samePathsAs.#pathIndex;
  }

  contents(): ContentLengths {
    return (this.#contents ??= new Map(this.files.map(({ sha256, size }) => [sha256, size])));
  }

  pathIndex(): Promise<PathIndex> {
    return (this.#pathIndex ??= inNextTurn(() => buildPathIndex(this.files.map(({ path }) => path))));
  }

  /** Prepares everything, so that it is ready when it is needed. */
  async prepare(): Promise<void> {
    this.contents();
    await Promise.all([this.pathIndex(), this.columns()]);
  }

  columns(): Promise<FileColumns> {
    return (this.#columns ??= inNextTurn(() => ({ paths: pathColumnOf(this.files), ...contentColumnsOf(this.files) })));
  }
}

async function inNextTurn<T>(prepare: () => T): Promise<T> {
  await nextTurn();
  return prepare();
}

/** An upload in the database: its hash, and when it was begun. */
export interface BegunUpload {
  hash: Buffer;
  created: Date;
}

/** Fewer files are read from the database in about a millisecond. */
const MIN_FILES = 1_000;
/** The memory of all manifests together, and of a file and its place in the path index, without its path. */
const MAX_BYTES = 8 * 1024 ** 2;
const FILE_BYTES = 320;
const KEEP_MS = 5 * 60_000;

/**
 * Keeps the manifests with many files that this process has used in the last minutes. The next request of a client usually needs one: the
 * commit of an upload needs the files with which the upload was begun, and the next upload changes what the commit has published.
 * The files of an upload or a deployment never change, so a kept manifest is always what the database has. Whether the upload or the
 * deployment still exists, and whom it belongs to, must be read from the database.
 */
class RecentManifests {
  readonly #manifests = new LRUCache<string, Manifest>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ files }) => files.reduce((bytes, { path }) => bytes + path.length + FILE_BYTES, 0),
    ttl: KEEP_MS,
    ttlAutopurge: true,
  });

  ofUpload(upload: BegunUpload): Manifest | undefined {
    return this.#manifests.get(uploadKey(upload));
  }

  ofDeployment(id: string): Manifest | undefined {
    return this.#manifests.get(id);
  }

  /** Keeps the manifest of an upload that was begun, and prepares what its commit needs. */
  keepUpload(upload: BegunUpload, manifest: Manifest): void {
    if (manifest.files.length < MIN_FILES) return;
    this.#manifests.set(uploadKey(upload), manifest);
    void manifest.pathIndex();
  }

  /** Keeps the manifest of an upload that was committed as that of its deployment. */
  keepDeployment(id: string, upload: BegunUpload, manifest: Manifest): void {
    this.#manifests.delete(uploadKey(upload));
    if (manifest.files.length >= MIN_FILES) this.#manifests.set(id, new Manifest(manifest.files, manifest));
  }
}

const recentManifests = new WeakMap<Core, RecentManifests>();

/** Returns the manifests that this process has used recently. */
export function manifestsOf(core: Core): RecentManifests {
  const manifests = recentManifests.get(core) ?? new RecentManifests();
  recentManifests.set(core, manifests);
  return manifests;
}

/** The time distinguishes an upload that was begun again after it was aborted: it has the same hash. */
const uploadKey = ({ hash, created }: BegunUpload): string => `${hash.toString('hex')} ${created.getTime()}`;
