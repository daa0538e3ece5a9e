import type { Manifest, SiteFile } from '@berth/serving';

/** A manifest that has the places of all files in memory, so that it needs no database. */
export class CompleteManifest implements Manifest {
  readonly #files: ReadonlyMap<string, SiteFile>;

  constructor(files: ReadonlyMap<string, SiteFile>) {
    this.#files = files;
  }

  has(path: string): boolean {
    return this.#files.has(path);
  }

  peek(path: string): SiteFile | undefined {
    return this.#files.get(path);
  }

  async load(path: string): Promise<SiteFile> {
    return this.#files.get(path)!;
  }
}
