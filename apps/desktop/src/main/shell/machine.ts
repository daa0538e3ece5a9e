import type { Net, PowerMonitor } from 'electron';
import type { Backend } from '../backend.ts';

/** How often it is looked whether there is a network: the system does not tell. */
const LOOK_EVERY_MS = 3_000;

/**
 * Tells the backend when the machine woke up, and when its network comes and goes.
 *
 * @returns What ends it.
 */
export function followMachine(
  powerMonitor: Pick<PowerMonitor, 'off' | 'on'>,
  net: Pick<Net, 'isOnline'>,
  backend: Pick<Backend, 'awake' | 'setOnline'>,
): () => void {
  let online = net.isOnline();
  backend.setOnline(online);
  const timer = setInterval(() => {
    if (net.isOnline() === online) return;
    online = !online;
    backend.setOnline(online);
  }, LOOK_EVERY_MS);
  timer.unref();
  const wake = () => backend.awake();
  powerMonitor.on('resume', wake);
  powerMonitor.on('unlock-screen', wake);
  return () => {
    clearInterval(timer);
    powerMonitor.off('resume', wake);
    powerMonitor.off('unlock-screen', wake);
  };
}
