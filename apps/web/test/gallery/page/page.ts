import type { Publishing } from '@berth/ui/publishing';
import { showConsole } from '../../../src/console.tsx';
import { createDrops, type Drops } from '../../../src/drop/drops.ts';
import type { Report } from '../../../src/drop/messages.ts';
import type { DropsWorker } from '../../../src/drop/worker-link.ts';
import { EMPTY_PATH } from '../page-window.ts';

let remove: (() => void) | undefined;

window.violations = [];
document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
  window.violations.push(`${violatedDirective}: ${blockedURI}`),
);
window.showConsole = (address, drops) => {
  localStorage.clear();
  sessionStorage.clear();
  show(address, drops);
};
window.showAgain = () => show(location.href, []);

function show(address: string, drops: readonly Publishing[]): void {
  remove?.();
  history.replaceState(null, '', address);
  remove = showConsole(document.getElementById('root')!, dropsOf(drops));
}

if (location.pathname !== EMPTY_PATH) show(location.href, []);

/** Returns drops whose worker publishes nothing, and only reports these states. */
function dropsOf(publishings: readonly Publishing[]): Drops {
  const worker = Object.assign(new EventTarget(), { postMessage: () => {} });
  const drops = createDrops(() => worker as DropsWorker);
  // The first command starts the worker.
  drops.cancel('');
  for (const publishing of publishings.toReversed()) {
    const data: Report = { report: 'state', publishing };
    worker.dispatchEvent(new MessageEvent('message', { data }));
  }
  return drops;
}
