import type { AccountCaller, Browser, CallingMember, CallingSession, Core } from '../../core.ts';

/** A caller who is signed in to the console. */
export interface SessionCaller extends AccountCaller {
  member: CallingMember;
  session: CallingSession;
}

/** The core, the person who is signed in, and the browser. */
export interface SessionScope {
  core: Core;
  caller: SessionCaller;
  browser: Browser;
}
