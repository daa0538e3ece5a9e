import type { Net, PowerMonitor } from 'electron';
import type { Backend } from '../backend.ts';

/** How often to check for a network, in milliseconds. The system emits no event when the network changes. */
const CHECK_EVERY_MS = 3_000;

/** Notifies the backend when the machine wakes up and when it gains or loses its network. @returns A function that stops the notifications. */
export function followMachine(
  powerMonitor: Pick<PowerMonitor, 'off' | 'on'>,
  net: Pick<Net, 'isOnline'>,
  backend: Pick<Backend, 'onWake' | 'setOnline'>,
): () => void {
  let isOnline = net.isOnline();
  backend.setOnline(isOnline);
  const timer = setInterval(() => {
    if (net.isOnline() === isOnline) return;
    isOnline = !isOnline;
    backend.setOnline(isOnline);
  }, CHECK_EVERY_MS);
  timer.unref();
  const resumeWork = () => backend.onWake();
  powerMonitor.on('resume', resumeWork);
  powerMonitor.on('unlock-screen', resumeWork);
  return () => {
    clearInterval(timer);
    powerMonitor.off('resume', resumeWork);
    powerMonitor.off('unlock-screen', resumeWork);
  };
}
