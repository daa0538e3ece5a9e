import { Button } from '@berth/ui/components/button';
import { useEffect, useState } from 'react';

/** The minimum time between two checks, in milliseconds. */
const PAUSE_MS = 60_000;
/** The time between two checks while the page is visible, in milliseconds. */
const INTERVAL_MS = 10 * 60_000;

/** Offers to reload the page when the server has a newer console, whose pages this one could not load. */
export function UpdateNote() {
  const isOutdated = useIsOutdated();
  return (
    <div role="status">
      {isOutdated && (
        <div className="update-note">
          <p>This server was updated. Reload the page to use the new version.</p>
          <Button label="Reload" small onClick={() => location.reload()} />
        </div>
      )}
    </div>
  );
}

/** Whether the document of the server has another script: checked from time to time, and when the page becomes visible or online. */
function useIsOutdated(): boolean {
  const [isOutdated, setOutdated] = useState(false);
  useEffect(() => {
    let lastMs = -Infinity;
    const check = async () => {
      if (document.visibilityState === 'hidden' || performance.now() - lastMs < PAUSE_MS) return;
      lastMs = performance.now();
      setOutdated(await hasOtherScript());
    };
    const update = () => void check();
    const timer = setInterval(update, INTERVAL_MS);
    document.addEventListener('visibilitychange', update);
    addEventListener('online', update);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', update);
      removeEventListener('online', update);
    };
  }, []);
  return isOutdated;
}

/** The name of the script contains a hash of everything that the page consists of. A server that does not answer has no other one. */
async function hasOtherScript(): Promise<boolean> {
  const script = document.querySelector<HTMLScriptElement>('script[type="module"]');
  if (script === null) return false;
  try {
    const response = await fetch('/', { headers: { Accept: 'text/html' }, cache: 'no-cache' });
    if (!response.ok) return false;
    const html = await response.text();
    return html.includes('id="root"') && !html.includes(new URL(script.src).pathname);
  } catch {
    return false;
  }
}
