import '../../components/card.css';
import './domain-page.css';
import type { Domain } from '@berth/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ArrowLeftRight, ChevronLeft, Share2, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { CopyButton, Link } from '../../components/link.tsx';
import { AccountPage } from '../../components/page.tsx';
import { PlaceLink } from '../../components/place-link.tsx';
import { Section } from '../../components/rows.tsx';
import { Moment, ProblemBox, StatusLine, Tag } from '../../components/status.tsx';
import { useAccount } from '../../state/account.ts';
import { useBackend, useSitesApi } from '../../state/backend.ts';
import { useNavigation } from '../../state/navigation.ts';
import { valueOf } from '../../state/query.ts';
import { useSite } from '../../state/sites.ts';
import { useNotes } from '../../state/toasts.ts';
import { siteName } from '../../text/site.ts';
import { SiteIcon } from '../sites/site-icon.tsx';
import { Versions } from '../sites/versions.tsx';
import { domainStatusText } from '../../text/domain.ts';
import { Records } from './records.tsx';
import { ShowSite } from './show-site.tsx';

/** The page of a domain: its status, its DNS records, the site that it shows, and its versions. */
export function DomainPage({ domain }: { domain: string }) {
  const { accountKey } = useAccount();
  const { readDomain } = useSitesApi();
  const queries = useQueryClient();
  const queryKey = [accountKey, 'domain', domain];
  const { data, error, isFetching, refetch } = useQuery({
    queryKey,
    queryFn: () => valueOf(readDomain({ domain })),
  });
  return (
    <AccountPage
      title={domain}
      back={
        <PlaceLink to="domains" className="page-back">
          <ChevronLeft size={15} aria-hidden />
          Domains
        </PlaceLink>
      }
    >
      {data === undefined && isFetching && <p className="soft">Loading…</p>}
      <ProblemBox
        problem={data === undefined && !isFetching ? error : null}
        onRetry={error?.kind !== 'refused' && (() => refetch())}
      />
      {data !== undefined && (
        <DomainDetails domain={data} onChange={(changed) => void queries.setQueryData(queryKey, changed)} />
      )}
    </AccountPage>
  );
}

interface DomainDetailsProps {
  domain: Domain;
  onChange: (domain: Domain) => void;
}

function DomainDetails({ domain, onChange }: DomainDetailsProps) {
  const [tone, label, hint] = domainStatusText(domain.status);
  return (
    <>
      <section className="card" aria-label="Status">
        <div className="card-head">
          <div className="card-title">
            <Link url={domain.url} className="is-big" />
            {hint !== undefined && <p className="soft">{hint}</p>}
          </div>
          <Tag tone={tone}>{label}</Tag>
        </div>
      </section>
      <ShownSite domain={domain} />
      <DnsSection domain={domain} onChange={onChange} />
      <Versions domain={domain.domain} live={domain.deployment} />
      <DeleteDomain domain={domain.domain} />
    </>
  );
}

/** The site that the domain shows, and the way to show another one. */
function ShownSite({ domain: { domain, linked } }: { domain: Domain }) {
  const { data, refetch } = useSite(domain);
  const [isChoosing, setChoosing] = useState(false);
  const site = data?.site;
  const deployment = site?.deployment ?? null;
  return (
    <Section title="Shows">
      <div className="settings-row">
        {site && deployment !== null && <SiteIcon site={site} />}
        <div className="settings-text">
          {site && deployment !== null ? (
            <>
              <PlaceLink to={{ site: domain }} className="link name">
                {site.title ?? siteName({ title: null, site: deployment })}
              </PlaceLink>
              <p className="small soft">
                {deployment}
                {linked !== null && (
                  <>
                    {' · since '}
                    <Moment at={linked * 1_000} />
                  </>
                )}
              </p>
            </>
          ) : (
            <p className="soft">{site ? 'Shows no site yet.' : 'Loading…'}</p>
          )}
        </div>
        <Button
          label={deployment === null ? 'Show a site…' : 'Show another site…'}
          icon={ArrowLeftRight}
          onClick={() => setChoosing(true)}
        />
      </div>
      {isChoosing && (
        <ShowSite
          domain={domain}
          current={deployment}
          onShown={() => void refetch()}
          onClose={() => setChoosing(false)}
        />
      )}
    </Section>
  );
}

/** The DNS records with their checks, and the page to share with the person who manages the DNS. */
function DnsSection({ domain, onChange }: DomainDetailsProps) {
  const { api } = useBackend();
  const { accountKey } = useAccount();
  const { readProvider } = useSitesApi();
  const { domain: name } = domain;
  const records = useQuery({
    queryKey: [accountKey, 'records', name],
    queryFn: () => valueOf(api.readRecords({ domain: name })),
  });
  const needsRecords = records.error?.kind !== 'refused';
  const provider = useQuery({
    queryKey: [accountKey, 'provider', name],
    queryFn: () => valueOf(readProvider({ domain: name })),
    enabled: records.data !== undefined,
  });
  const share = useQuery({
    queryKey: [accountKey, 'share', name],
    queryFn: () => valueOf(api.shareDomain({ domain: name })),
    enabled: records.data !== undefined,
  });
  if (!needsRecords)
    return <StatusLine tone="quiet">This name belongs to the server, so it needs no DNS records.</StatusLine>;
  const providerName = provider.data?.dns?.provider.name;
  return (
    <section className="card" aria-label="DNS">
      <Records
        domain={domain}
        checkAtOnce={domain.status !== 'success'}
        onChange={(changed) => changed && onChange(changed)}
      />
      {share.data && (
        <div className="dns-help">
          <p className="soft">
            {providerName === undefined
              ? 'Someone else manages your DNS? Send the page with these records and all steps.'
              : `Your DNS is at ${providerName}. The page with these records has the steps for it.`}
          </p>
          <div className="card-actions">
            <a className="button plain is-small" href={share.data.url} target="_blank" rel="noreferrer">
              <Share2 size={15} aria-hidden />
              <span>{providerName === undefined ? 'Open the page' : `Steps for ${providerName}`}</span>
            </a>
            <CopyButton text={share.data.url} subject="share link" label="Copy share link" />
          </div>
        </div>
      )}
    </section>
  );
}

function DeleteDomain({ domain }: { domain: string }) {
  const { api } = useBackend();
  const { ask, showToast } = useNotes();
  const { navigate } = useNavigation();
  const [isAsking, setAsking] = useState(false);
  if (!isAsking)
    return (
      <div className="page-end">
        <Button label="Delete domain…" icon={Trash2} onClick={() => setAsking(true)} />
      </div>
    );
  return (
    <Confirm
      question={`Delete ${domain}? The address stops working at once. The files of its versions stay.`}
      action="Delete"
      onCancel={() => setAsking(false)}
      onConfirm={async () => {
        if ((await ask(api.deleteDomain({ domain }))) === null) return setAsking(false);
        showToast(`${domain} is deleted.`);
        navigate('domains');
      }}
    />
  );
}
