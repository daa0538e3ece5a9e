import type { Site } from '@berth/contract';
import { Copy, Ellipsis, Folder, FolderOpen, FolderSync, Lock, RefreshCw, Tags, Trash2 } from 'lucide-react';
import { memo } from 'react';
import { Chips } from '../../components/field.tsx';
import { CopyButton, Link, OpenIcon } from '../../components/link.tsx';
import { Menu } from '../../components/menu.tsx';
import { PlaceLink } from '../../components/place-link.tsx';
import { Moment } from '../../components/status.tsx';
import { useBackend } from '../../state/backend.ts';
import { useSiteFolder } from '../../state/site-folders.ts';
import { useNotes } from '../../state/toasts.ts';
import { sizeText } from '../../text/files.ts';
import { siteName } from '../../text/site.ts';
import { SiteIcon } from './site-icon.tsx';
import { SiteTags } from './site-status.tsx';

/** What a person can do with sites in the list. */
export type SiteAction = 'labels' | 'delete';

interface SiteRowProps {
  site: Site;
  isSelected: boolean;
  onSelect: (site: string, isSelected: boolean) => void;
  onAction: (action: SiteAction, site: Site) => void;
}

export const SiteRow = memo(function SiteRow({ site, isSelected, onSelect, onAction }: SiteRowProps) {
  const name = siteName(site);
  const isDeleting = site.state === 'deleting';
  const folder = useSiteFolder(site);
  return (
    <div className={isSelected ? 'site-item is-selected' : 'site-item'}>
      <label className="site-check">
        <input
          type="checkbox"
          aria-label={`Select ${name}`}
          checked={isSelected}
          disabled={isDeleting}
          onChange={(event) => onSelect(site.site, event.target.checked)}
        />
      </label>
      <SiteIcon site={site} />
      <div className="site-main">
        <p>
          <PlaceLink to={{ site: site.site }} className="row-name clip">
            {name}
          </PlaceLink>
          {site.password && <Lock size={13} className="soft" role="img" aria-label="Password-protected" />}
          <Chips labels={site.labels} />
        </p>
        <p className="small soft">
          {site.title !== null && <Link url={site.url} className="site-address clip" />}
          <span className="site-facts">
            {site.files !== null && site.size !== null && (
              <span className="site-size">{sizeText({ files: site.files, bytes: site.size })} · </span>
            )}
            <Moment at={site.changed * 1_000} />
          </span>
          {folder !== null && (
            <span className="site-folder" title={folder.path}>
              {folder.isWatched ? <FolderSync size={13} aria-hidden /> : <Folder size={13} aria-hidden />}
              <span className="hidden">{folder.isWatched ? 'Watched folder' : 'Folder'}</span>
              <span className="clip">{folder.name}</span>
            </span>
          )}
        </p>
      </div>
      <div className="site-tags">
        <SiteTags site={site} />
      </div>
      <div className="site-tools">
        {!isDeleting && (
          <>
            <span className="row-tools">
              <CopyButton text={site.url} subject={`link of ${name}`} />
              <OpenIcon url={site.url} subject={name} />
            </span>
            <SiteMenu site={site} onAction={onAction} />
          </>
        )}
      </div>
    </div>
  );
});

function SiteMenu({ site, onAction }: Pick<SiteRowProps, 'site' | 'onAction'>) {
  const { copy } = useBackend();
  const { ask, showToast } = useNotes();
  const folder = useSiteFolder(site);
  const copyLink = async () => {
    if (await ask(copy(site.url))) showToast('Link copied.');
  };
  return (
    <Menu
      icon={Ellipsis}
      label={`More about ${siteName(site)}`}
      items={[
        { label: 'Copy link', icon: Copy, run: () => void copyLink() },
        ...(folder === null
          ? []
          : [
              { label: 'Publish again', icon: RefreshCw, run: () => void folder.publish() },
              { label: 'Show in folder', icon: FolderOpen, run: folder.show },
            ]),
        { label: 'Labels…', icon: Tags, run: () => onAction('labels', site) },
        { label: 'Delete…', icon: Trash2, danger: true, run: () => onAction('delete', site) },
      ]}
    />
  );
}
