import type { App, Session, WebContents } from 'electron';
import { isOurs } from './app-protocol.ts';

/** The events before a page or frame navigates. */
const NAVIGATIONS = ['will-navigate', 'will-redirect', 'will-frame-navigate', 'will-attach-webview'] as const;

/**
 * Blocks all navigation and all new windows, frames and views in every web contents that is created from now on. Only the app
 * itself loads a page. The command `openLink` opens links. Source: desktop §6.
 */
export function refuseNavigation(app: Pick<App, 'on'>): void {
  app.on('web-contents-created', (_event, contents: Pick<WebContents, 'on' | 'setWindowOpenHandler'>) => {
    // The first argument of each listener is the event to prevent, so one signature fits all events.
    const onEvent = contents.on.bind(contents) as (
      name: string,
      listener: (event: { preventDefault(): void }) => void,
    ) => void;
    for (const name of NAVIGATIONS) onEvent(name, (event) => event.preventDefault());
    contents.setWindowOpenHandler(() => ({ action: 'deny' }));
  });
}

/** Refuses all permissions, devices and downloads, and every request except to the app itself. Source: desktop §6. */
export function refusePermissions(session: Session): void {
  session.setPermissionRequestHandler((_contents, _permission, answer) => answer(false));
  session.setPermissionCheckHandler(() => false);
  session.setDevicePermissionHandler(() => false);
  session.setDisplayMediaRequestHandler((_request, answer) => answer(null));
  session.on('will-download', (event) => event.preventDefault());
  // The spell checker of Chromium would download dictionaries.
  session.setSpellCheckerEnabled(false);
  session.webRequest.onBeforeRequest(({ url }, answer) => answer({ cancel: !isOurs(url) && !isLocal(url) }));
}

/** True for addresses that cause no network request: `data:` images, and the developer tools, which packages do not have. */
const isLocal = (url: string) => ['data:', 'devtools:'].includes(URL.parse(url)?.protocol ?? '');
