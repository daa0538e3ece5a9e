import type { Manifest, SiteFile } from '@berth/serving';
import type { LoadingCache } from './loading-cache.ts';
import type { PathKeys } from './path-index.ts';

/** Loads the files of sites, and keeps them in a cache that all sites share. */
export interface FileLoader {
  files: LoadingCache<SiteFile>;
  /** @param rank The rank of the file in the path index of the deployment. */
  loadFile(deployment: string, rank: number): Promise<SiteFile>;
}

let manifestCount = 0;

/** A manifest that has only the keys of its paths in memory. Requested files are loaded, and kept in a cache that sites share. */
export class SiteManifest implements Manifest {
  readonly #deployment: string;
  readonly #keys: PathKeys;
  readonly #loader: FileLoader;
  /** A manifest that is loaded again has another number and does not find the files of the earlier one, because bytes may have moved. */
  readonly #number: number;

  constructor(deployment: string, keys: PathKeys, loader: FileLoader) {
    this.#deployment = deployment;
    this.#keys = keys;
    this.#loader = loader;
    manifestCount += 1;
    this.#number = manifestCount;
  }

  has(path: string): boolean {
    return this.#keys.rankOf(path) >= 0;
  }

  peek(path: string): SiteFile | undefined {
    return this.#loader.files.peek(`${this.#number}/${this.#keys.rankOf(path)}`) ?? undefined;
  }

  async load(path: string): Promise<SiteFile> {
    const rank = this.#keys.rankOf(path);
    return (await this.#loader.files.get(`${this.#number}/${rank}`, () =>
      this.#loader.loadFile(this.#deployment, rank),
    ))!;
  }
}
