import type { Site } from '@berth/contract';
import type { SiteFolder } from '@berth/ui/state/site-folders';
import { useCallback } from 'react';
import { isSiteOf } from '../../shared/is-site-of.ts';
import { currentServer } from './account.ts';
import type { Shell } from './shell.ts';
import { useAppState } from './store.ts';

/** Returns a function that finds the folder of a site on the current server: a watched folder, or the folder published last. */
export function useSiteFolders({ commands, ask, navigate }: Shell): (site: Site) => SiteFolder | null {
  const folders = useAppState('folders');
  const siteFolders = useAppState('siteFolders');
  const { origin } = currentServer(useAppState('session'));
  return useCallback(
    ({ domain, deployment }) => {
      const watched = folders.find(
        ({ server, url }) => server === origin && url !== null && new URL(url).hostname === domain,
      );
      if (watched) {
        const { id, name, path } = watched;
        return {
          name,
          path,
          isWatched: true,
          publish: () => ask(commands.publishFolder({ id })),
          show: () => void ask(commands.showFolder({ id })),
        };
      }
      const folder = siteFolders.find((each) => each.server === origin && isSiteOf(each, { domain, deployment }));
      if (!folder || deployment === null) return null;
      return {
        name: folder.name,
        path: folder.path,
        isWatched: false,
        async publish() {
          if (await ask(commands.publishSiteAgain({ deployment, domain }))) navigate({ page: 'publish' });
        },
        show: () => void ask(commands.showSiteFolder({ deployment, domain })),
      };
    },
    [folders, siteFolders, origin, commands, ask, navigate],
  );
}
