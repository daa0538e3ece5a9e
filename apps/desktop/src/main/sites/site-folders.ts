import { basename, join } from 'node:path';
import { z } from 'zod';
import { SiteFolder } from '../../shared/site-folder.ts';
import { type JsonFile, openJsonFile, type StoreOptions } from '../storage/json-file.ts';

/** The maximum number of remembered folders. The oldest are forgotten first. */
const MAX_FOLDERS = 500;

const StoredFolders = z.object({ version: z.literal(1), folders: z.array(SiteFolder) });
type StoredFolders = z.infer<typeof StoredFolders>;

interface SiteFoldersOptions extends StoreOptions {
  onChange(folders: SiteFolder[]): void;
}

/** Opens the list of folders that were published. @throws Error when `site-folders.json` cannot be read. */
export async function openSiteFolders(options: SiteFoldersOptions): Promise<SiteFolders> {
  const file = await openJsonFile<StoredFolders>({
    path: join(options.dataDir, 'site-folders.json'),
    schema: StoredFolders,
    initialValue: { version: 1, folders: [] },
    onDamaged: options.onDamaged,
  });
  return new SiteFolders(file, options.onChange);
}

/** Remembers from which folder each site was published last, so that the site can be published from it again. */
export class SiteFolders {
  readonly #file: JsonFile<StoredFolders>;
  readonly #onChange: (folders: SiteFolder[]) => void;

  constructor(file: JsonFile<StoredFolders>, onChange: (folders: SiteFolder[]) => void) {
    this.#file = file;
    this.#onChange = onChange;
  }

  /** The folders, the most recently published first. */
  list(): SiteFolder[] {
    return this.#file.value().folders;
  }

  /** Remembers the folder of a site. A domain has one folder. A write that fails is repeated by the next change. */
  remember(published: Omit<SiteFolder, 'name'>): void {
    const { server, domain, path } = published;
    const isReplaced = (old: SiteFolder) =>
      old.server === server && (domain !== null ? old.domain === domain : old.domain === null && old.path === path);
    const folder = { ...published, name: basename(path) || path };
    this.#change((folders) => [folder, ...folders.filter((old) => !isReplaced(old))].slice(0, MAX_FOLDERS));
  }

  /** Follows a domain that now shows a deployment, or forgets the folder of a domain that was deleted (`null`). */
  addressChanged(server: string, domain: string, deployment: string | null): void {
    const shown = this.list().find((folder) => folder.server === server && folder.deployment === deployment);
    if (shown) this.remember({ ...shown, domain });
    else if (deployment === null)
      this.#change((folders) => folders.filter((folder) => folder.server !== server || folder.domain !== domain));
  }

  /** Finds the site at a domain that was published last from a folder. */
  siteAt(server: string, path: string): SiteFolder | null {
    return (
      this.list().find((folder) => folder.server === server && folder.path === path && folder.domain !== null) ?? null
    );
  }

  #change(next: (folders: SiteFolder[]) => SiteFolder[]): void {
    void this.#file.change((stored) => ({ ...stored, folders: next(stored.folders) })).catch(() => {});
    this.#onChange(this.list());
  }
}
