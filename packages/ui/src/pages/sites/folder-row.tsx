import type { Site } from '@berth/contract';
import { FolderOpen, RefreshCw } from 'lucide-react';
import { Button } from '../../components/button.tsx';
import { Row, Section } from '../../components/rows.tsx';
import { useBusy } from '../../state/requests.ts';
import { useSiteFolder } from '../../state/site-folders.ts';

/** The folder that a site is published from, and how to publish it again. Shows nothing without a folder. */
export function FolderSection({ site }: { site: Site }) {
  const folder = useSiteFolder(site);
  const { isBusy, run } = useBusy();
  if (folder === null) return null;
  return (
    <Section title="Folder">
      <Row
        name={folder.path}
        hint={folderHint(site, folder.isWatched)}
        actions={
          <>
            <Button label="Show in folder" small icon={FolderOpen} onClick={folder.show} />
            <Button
              label="Publish again"
              small
              variant="primary"
              icon={RefreshCw}
              busy={isBusy}
              onClick={() => void run(folder.publish())}
            />
          </>
        }
      />
    </Section>
  );
}

function folderHint({ domain }: Site, isWatched: boolean): string {
  if (isWatched) return 'Watched: each change is published.';
  return domain === null
    ? 'Publishing again gives a new link, because only a domain keeps its address.'
    : 'Publishing again updates the site at the same address.';
}
