import { EventEmitter } from 'node:events';

type PermissionRequest = (contents: unknown, permission: string, callback: (granted: boolean) => void) => void;
type PermissionCheck = (contents: unknown, permission: string, origin: string) => boolean;
type DisplayMedia = (request: unknown, callback: (streams: unknown) => void) => void;
type BeforeRequest = (details: { url: string }, callback: (response: { cancel?: boolean }) => void) => void;

/** A session. As in Electron, everything without a handler is allowed. */
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

  /** Whether a permission that a page requests is granted. */
  grants(permission: string): boolean {
    let granted = true;
    this.permissionRequest?.({}, permission, (answer) => (granted = answer));
    return granted;
  }

  /** Whether a request is sent. */
  fetches(url: string): boolean {
    let passes = true;
    this.beforeRequest?.({ url }, ({ cancel }) => (passes = cancel !== true));
    return passes;
  }
}
