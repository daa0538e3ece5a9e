import type { App, Session, WebContents } from 'electron';
import { isOurs } from './app-protocol.ts';

/** The ways in which a page, or a frame of it, could come to be another one. */
const NAVIGATIONS = ['will-navigate', 'will-redirect', 'will-frame-navigate', 'will-attach-webview'] as const;

/**
 * Refuses every page, frame, window and view but the one that the app itself loads, for whatever is made from here on. Links
 * leave through the command `openLink`.
 *
 * Source: design of the desktop app, §6.
 */
export function refuseNavigation(app: Pick<App, 'on'>): void {
  app.on('web-contents-created', (_event, contents: Pick<WebContents, 'on' | 'setWindowOpenHandler'>) => {
    // One signature stands for all of them: what is prevented is the first argument of each.
    const on = contents.on.bind(contents) as (
      name: string,
      listener: (event: { preventDefault(): void }) => void,
    ) => void;
    for (const name of NAVIGATIONS) on(name, (event) => event.preventDefault());
    contents.setWindowOpenHandler(() => ({ action: 'deny' }));
  });
}

/** What is set of a session. */
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
 * Refuses all permissions, devices and downloads, and every request to anywhere but the app itself.
 *
 * Source: design of the desktop app, §6.
 */
export function refusePermissions(session: GuardedSession): void {
  session.setPermissionRequestHandler((_contents, _permission, answer) => answer(false));
  session.setPermissionCheckHandler(() => false);
  session.setDevicePermissionHandler(() => false);
  session.setDisplayMediaRequestHandler((_request, answer) => answer(null));
  session.on('will-download', (event) => event.preventDefault());
  // Chromium fetches the dictionaries for it.
  session.setSpellCheckerEnabled(false);
  session.webRequest.onBeforeRequest(({ url }, answer) => answer({ cancel: !isOurs(url) && !isInside(url) }));
}

/** What is no request: a picture in its own address, and the tools of developers, which no packaged app has. */
const isInside = (url: string) => ['data:', 'devtools:'].includes(URL.parse(url)?.protocol ?? '');
