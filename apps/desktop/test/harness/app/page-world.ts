import { openBridge } from './bridge.ts';

// Runs in the page's world before anything of the page does, and leaves nothing there but what the preload exposes.
declare const BRIDGE: { toPreload: string; toPage: string };
openBridge(BRIDGE.toPreload, BRIDGE.toPage);
