import './site-status.css';
import type { Site } from '@berth/contract';
import { moment } from '@berth/client/amounts';
import { Hourglass } from 'lucide-react';
import { Tag } from '../../components/status.tsx';
import { useNow } from '../../state/clock.ts';
import { siteStateText } from '../../text/site.ts';
import { remainingText } from '../../text/time.ts';

/** The state of a site, and when it expires. */
export function SiteTags({ site }: { site: Site }) {
  const [tone, label, hint] = siteStateText(site);
  return (
    <>
      {site.expires !== undefined && <Expiry expires={site.expires} />}
      <Tag tone={tone} title={hint ?? undefined}>
        {label}
      </Tag>
    </>
  );
}

function Expiry({ expires }: { expires: number }) {
  const seconds = expires - Math.floor(useNow(60_000) / 1_000);
  return (
    <Tag tone="warn" title={`Expires ${moment(expires)}`}>
      <Hourglass size={11} aria-hidden />
      {seconds > 0 ? `${remainingText(seconds)} left` : 'expired'}
    </Tag>
  );
}
