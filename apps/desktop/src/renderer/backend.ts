import type { Backend } from '@berth/ui/backend';
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
