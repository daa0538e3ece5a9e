import { EventEmitter } from 'node:events';

type PermissionRequest = (contents: unknown, permission: string, callback: (granted: boolean) => void) => void;
type PermissionCheck = (contents: unknown, permission: string, origin: string) => boolean;
type DisplayMedia = (request: unknown, callback: (streams: unknown) => void) => void;
type BeforeRequest = (details: { url: string }, callback: (response: { cancel?: boolean }) => void) => void;

/** A fake session. Without a handler, all permissions and requests are allowed, as in Electron. */
export class FakeSession extends EventEmitter {
  permissionRequest: PermissionRequest | null = null;
  permissionCheck: PermissionCheck | null = null;
  devicePermission: ((details: unknown) => boolean) | null = null;
  displayMedia: DisplayMedia | null = null;
  beforeRequest: BeforeRequest | null = null;
  spellChecker = true;

  setPermissionRequestHandler = (handler: PermissionRequest) => void (this.permissionRequest = handler);
  setPermissionCheckHandler = (handler: PermissionCheck) => void (this.permissionCheck = handler);
  setDevicePermissionHandler = (handler: (details: unknown) => boolean) => void (this.devicePermission = handler);
  setDisplayMediaRequestHandler = (handler: DisplayMedia) => void (this.displayMedia = handler);
  setSpellCheckerEnabled = (on: boolean) => void (this.spellChecker = on);
  readonly webRequest = { onBeforeRequest: (handler: BeforeRequest) => void (this.beforeRequest = handler) };

  /** Requests a permission as a page does. @returns Whether the permission is granted. */
  grants(permission: string): boolean {
    let isGranted = true;
    this.permissionRequest?.({}, permission, (answer) => (isGranted = answer));
    return isGranted;
  }

  /** Starts a request as a page does. @returns Whether the request is allowed. */
  fetches(url: string): boolean {
    let isAllowed = true;
    this.beforeRequest?.({ url }, ({ cancel }) => (isAllowed = cancel !== true));
    return isAllowed;
  }
}
