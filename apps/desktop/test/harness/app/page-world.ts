import { openBridge } from './bridge.ts';

// Runs in the page's world before the page's own scripts, and leaves only the values there that the preload exposes.
declare const BRIDGE: { toPreload: string; toPage: string };
openBridge(BRIDGE.toPreload, BRIDGE.toPage);
