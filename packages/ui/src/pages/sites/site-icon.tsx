import './site-icon.css';
import type { Site } from '@berth/contract';
import { siteName } from '../../text/site.ts';

/** The icon of the front page of a site, or the first letter of its name. */
export function SiteIcon({ site, isBig = false }: { site: Site; isBig?: boolean }) {
  const className = isBig ? 'site-icon is-big' : 'site-icon';
  if (site.icon !== null) return <img className={className} src={site.icon} alt="" />;
  return (
    <span className={`${className} is-letter`} aria-hidden>
      {[...siteName(site).replace(/^www\./, '')][0]}
    </span>
  );
}
