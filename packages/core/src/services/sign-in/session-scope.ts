import type { AccountCaller, Browser, CallingSession, Core } from '../../core.ts';

/** A caller who is signed in to the console. */
export interface SessionCaller extends AccountCaller {
  session: CallingSession;
}

/** The core, the person who is signed in, and the browser. */
export interface SessionScope {
  core: Core;
  caller: SessionCaller;
  browser: Browser;
}
