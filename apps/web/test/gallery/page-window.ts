import type { Publishing } from '@berth/ui/publishing';

/** The address at which the page shows nothing until a test asks for it. Other addresses show the console, also after a reload. */
export const EMPTY_PATH = '/gallery';

declare global {
  interface Window {
    /** Shows the console at an address, with drops, newest first. Nothing of what it showed before is left. */
    showConsole(address: string, drops: readonly Publishing[]): void;
    /** Shows the console again at its address, as after a reload. */
    showAgain(): void;
    /** The violations of the policy of the page. */
    violations: string[];
  }
}
