import type { Backend, SitesApi } from '@berth/ui/backend';
import type { DesktopApi } from '../shared/contract.ts';

/** Connects the shared pages to the app, which sends their requests to the current server. */
export function createBackend({ commands, events }: DesktopApi, openLink: (url: string) => void): Backend {
  return {
    api: commands,
    onActivity: events.activity,
    onResume: (listener) => events.following(listener),
    refreshAccount: () => void commands.refreshAccount(),
    copy: (text) => commands.copy({ text }),
    openLink,
  };
}

/** Connects the pages of sites to the app. The window cannot download files, so there is no address to download from. */
export function createSitesApi({ commands }: DesktopApi): SitesApi {
  return { ...commands, listVersions: commands.listDomainVersions, downloadUrl: null };
}
