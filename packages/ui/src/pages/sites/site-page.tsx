import '../../components/card.css';
import './site-page.css';
import type { Deployment, Site } from '@berth/contract';
import { ChevronLeft, Download, Globe, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { CopyButton, Link, OpenButton, QrButton } from '../../components/link.tsx';
import { AccountPage, Empty } from '../../components/page.tsx';
import { PlaceLink } from '../../components/place-link.tsx';
import { Moment, ProblemBox, StatusLine } from '../../components/status.tsx';
import { useSitesApi } from '../../state/backend.ts';
import { useNavigation } from '../../state/navigation.ts';
import { useSite } from '../../state/sites.ts';
import { sizeText } from '../../text/files.ts';
import { publisherText, siteName, siteStateText } from '../../text/site.ts';
import { ChangeAddress } from './change-address.tsx';
import { FolderSection } from './folder-row.tsx';
import { DeleteSites } from './site-dialogs.tsx';
import { SiteIcon } from './site-icon.tsx';
import { SiteSettings } from './site-settings.tsx';
import { SiteTags } from './site-status.tsx';
import { ShowAtDomain } from './show-at-domain.tsx';
import { Versions } from './versions.tsx';

/** The page of a site: what it shows, its settings and its versions. @param site A domain, or the id of a deployment. */
export function SitePage({ site }: { site: string }) {
  const { data: known, error, isFetching, refetch } = useSite(site);
  // What was read earlier is out of date once the server no longer finds the site.
  const isGone = known !== undefined && error?.kind === 'refused';
  const data = isGone ? undefined : known;
  return (
    <AccountPage
      title={data === undefined ? site : siteName(data.site)}
      back={
        <PlaceLink to="sites" className="page-back">
          <ChevronLeft size={15} aria-hidden />
          Sites
        </PlaceLink>
      }
    >
      {data === undefined && isFetching && <p className="soft">Loading…</p>}
      {isGone && (
        <Empty
          icon={Trash2}
          title="This site was deleted"
          text="Its address no longer works, and its files are removed. The activity shows who deleted it."
        >
          <PlaceLink to="activity" className="button plain">
            Show the activity
          </PlaceLink>
        </Empty>
      )}
      <ProblemBox
        problem={data === undefined && !isFetching && !isGone ? error : null}
        onRetry={error?.kind !== 'refused' && (() => refetch())}
      />
      {data !== undefined && <SiteDetails {...data} />}
    </AccountPage>
  );
}

interface SiteDetailsProps {
  site: Site;
  /** The deployment that the site shows; `null` for none. */
  deployment: Deployment | null;
}

function SiteDetails({ site, deployment }: SiteDetailsProps) {
  const { navigate } = useNavigation();
  const [open, setOpen] = useState<'address' | 'delete' | null>(null);
  const close = () => setOpen(null);
  const { domain, deployment: shown } = site;
  const isGone = site.state === 'deleting';
  return (
    <>
      <SiteHead site={site} deployment={deployment} />
      {!isGone && <FolderSection site={site} />}
      {deployment !== null && !isGone && <SiteSettings site={site} deployment={deployment} />}
      {site.domain !== null && <Versions domain={site.domain} live={site.deployment} />}
      {site.domain === null && deployment !== null && !isGone && <ShowAtDomain deployment={deployment} />}
      {!isGone && (
        <div className="page-end">
          {domain !== null && shown !== null && (
            <Button label="Change address…" icon={Globe} onClick={() => setOpen('address')} />
          )}
          <Button label="Delete site…" icon={Trash2} onClick={() => setOpen('delete')} />
        </div>
      )}
      {open === 'address' && domain !== null && shown !== null && (
        <ChangeAddress site={site} domain={domain} deployment={shown} onClose={close} />
      )}
      {open === 'delete' && <DeleteSites sites={[site]} onClose={close} onDeleted={() => navigate('sites')} />}
    </>
  );
}

function SiteHead({ site, deployment }: SiteDetailsProps) {
  const { downloadUrl } = useSitesApi();
  const [tone, , hint] = siteStateText(site);
  return (
    <section className="card" aria-label="Overview">
      <div className="card-head">
        <SiteIcon site={site} isBig />
        <div className="card-title">
          <Link url={site.url} className="is-big" />
          <p className="small soft">
            {deployment === null ? (
              'No files yet'
            ) : (
              <>
                {sizeText({ files: deployment.files, bytes: deployment.size })} · published{' '}
                <Moment at={deployment.created * 1_000} /> {publisherText(deployment)}
              </>
            )}
          </p>
        </div>
        <div className="site-tags">
          <SiteTags site={site} />
        </div>
      </div>
      {hint !== null && <StatusLine tone={tone === 'good' ? 'quiet' : tone}>{hint}</StatusLine>}
      {deployment?.takenDown?.reason && <p className="soft">Reason: {deployment.takenDown.reason}</p>}
      <div className="card-actions">
        <OpenButton url={site.url} variant="primary" />
        <CopyButton text={site.url} subject="link" label="Copy link" />
        <QrButton url={site.url} />
        {downloadUrl !== null && deployment !== null && deployment.status !== 'deleting' && (
          <a className="button plain is-small" href={downloadUrl(deployment.deployment)} download>
            <Download size={15} aria-hidden />
            <span>Download</span>
          </a>
        )}
        {site.domain !== null && (
          <PlaceLink to={{ domain: site.domain }} className="button plain is-small">
            <span>DNS and sharing</span>
          </PlaceLink>
        )}
      </div>
    </section>
  );
}
