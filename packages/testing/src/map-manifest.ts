import type { Manifest, SiteFile } from '@berth/serving';

/** A manifest whose files are all in memory. */
export class MapManifest extends Map<string, SiteFile> implements Manifest {
  peek(path: string): SiteFile | undefined {
    return this.get(path);
  }

  async load(path: string): Promise<SiteFile> {
    return this.get(path)!;
  }
}
