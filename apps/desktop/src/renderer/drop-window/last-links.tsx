import { CopyButton, Link, OpenIcon } from '@berth/ui/components/link';
import { Moment } from '@berth/ui/components/status';
import { Link2 } from 'lucide-react';
import { useNow } from '@berth/ui/state/clock';
import { latestLinks } from '../../shared/latest-links.ts';
import { useAppState } from '../state/store.ts';

/** Lists the last links, with buttons that copy and open them. */
export function LastLinks() {
  const publishings = useAppState('publishings');
  const folders = useAppState('folders');
  const links = latestLinks({ publishings, folders }, useNow());
  if (links.length === 0)
    return (
      <section className="drop-window-empty">
        <Link2 size={22} strokeWidth={1.6} aria-hidden />
        <h2>No links yet</h2>
        <p>The links of what you publish appear here, ready to copy.</p>
      </section>
    );
  return (
    <section>
      <h2>Last links</h2>
      <ul>
        {links.map(({ name, url, at }) => (
          <li key={url} className="drop-window-row">
            <div>
              <p className="drop-window-title">
                <span className="drop-window-name clip">{name}</span>
                <Moment at={at} className="small soft" />
              </p>
              <Link url={url} className="clip" />
            </div>
            <CopyButton text={url} subject={`link of ${name}`} />
            <OpenIcon url={url} subject={`${name} in browser`} />
          </li>
        ))}
      </ul>
    </section>
  );
}
