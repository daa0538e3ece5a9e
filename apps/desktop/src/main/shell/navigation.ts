import type { App, Session, WebContents } from 'electron';
import { isOurs } from './app-protocol.ts';

/** The events before a page or frame navigates. */
const NAVIGATIONS = ['will-navigate', 'will-redirect', 'will-frame-navigate', 'will-attach-webview'] as const;

/**
 * Blocks all navigation and all new windows, frames and views in every web contents that is created from now on. Only the app
 * itself loads a page. Links are opened with the command `openLink`.
 *
 * Source: desktop §6.
 */
export function refuseNavigation(app: Pick<App, 'on'>): void {
  app.on('web-contents-created', (_event, contents: Pick<WebContents, 'on' | 'setWindowOpenHandler'>) => {
    // One signature for all of them: the first argument of each is the event to prevent.
    const on = contents.on.bind(contents) as (
      name: string,
      listener: (event: { preventDefault(): void }) => void,
    ) => void;
    for (const name of NAVIGATIONS) on(name, (event) => event.preventDefault());
    contents.setWindowOpenHandler(() => ({ action: 'deny' }));
  });
}

/** The parts of a session that {@link refusePermissions} sets. */
export type GuardedSession = Pick<
  Session,
  | 'on'
  | 'setDevicePermissionHandler'
  | 'setDisplayMediaRequestHandler'
  | 'setPermissionCheckHandler'
  | 'setPermissionRequestHandler'
  | 'setSpellCheckerEnabled'
  | 'webRequest'
>;

/**
 * Refuses all permissions, devices and downloads, and every request except to the app itself.
 *
 * Source: desktop §6.
 */
export function refusePermissions(session: GuardedSession): void {
  session.setPermissionRequestHandler((_contents, _permission, answer) => answer(false));
  session.setPermissionCheckHandler(() => false);
  session.setDevicePermissionHandler(() => false);
  session.setDisplayMediaRequestHandler((_request, answer) => answer(null));
  session.on('will-download', (event) => event.preventDefault());
  // Chromium would download dictionaries.
  session.setSpellCheckerEnabled(false);
  session.webRequest.onBeforeRequest(({ url }, answer) => answer({ cancel: !isOurs(url) && !isInside(url) }));
}

/** True for addresses that cause no network request: `data:` images, and the developer tools, which a package does not have. */
const isInside = (url: string) => ['data:', 'devtools:'].includes(URL.parse(url)?.protocol ?? '');
