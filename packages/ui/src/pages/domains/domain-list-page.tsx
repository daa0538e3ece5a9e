import './domain-list-page.css';
import type { Domain } from '@berth/contract';
import { Globe, Plus } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { ListEnd, VirtualList } from '../../components/list.tsx';
import { AccountPage, Empty } from '../../components/page.tsx';
import { PlaceLink } from '../../components/place-link.tsx';
import { Moment, Tag } from '../../components/status.tsx';
import { CopyButton, OpenIcon } from '../../components/link.tsx';
import { useDomains } from '../../state/lists.ts';
import { useNavigation } from '../../state/navigation.ts';
import { AddDomain } from './add-domain.tsx';
import { domainStatusText } from '../../text/domain.ts';

const ROW_HEIGHT = 64;

/** The domains of the account, each with a link to its page. */
export function DomainListPage() {
  const { navigate } = useNavigation();
  const [isAdding, setAdding] = useState(false);
  return (
    <AccountPage
      title="Domains"
      actions={<Button label="Add a domain…" variant="primary" icon={Plus} onClick={() => setAdding(true)} />}
    >
      <DomainList />
      {isAdding && <AddDomain onClose={() => setAdding(false)} onAdded={({ domain }) => navigate({ domain })} />}
    </AccountPage>
  );
}

function DomainList() {
  const list = useDomains();
  const { items, hasMore, problem } = list;
  if (items.length === 0 && !hasMore && problem === null)
    return (
      <Empty
        icon={Globe}
        title="No domains yet"
        text="A domain is an address that stays the same while its site changes: a name on this server, or a domain that you own."
      />
    );
  return (
    <>
      {items.length > 0 && (
        <VirtualList label="Domains" items={items} rowHeight={ROW_HEIGHT} keyOf={keyOf}>
          {(domain) => <DomainRow domain={domain} />}
        </VirtualList>
      )}
      <ListEnd list={list} />
    </>
  );
}

function DomainRow({ domain: { domain, deployment, linked, status, url } }: { domain: Domain }) {
  const [tone, label, hint] = domainStatusText(status);
  return (
    <div className="domain-row">
      <div className="domain-main">
        <p>
          <PlaceLink to={{ domain }} className="row-name clip">
            {domain}
          </PlaceLink>
        </p>
        <p className="small soft clip">
          {deployment === null ? 'Shows no site yet' : `Shows ${deployment}`}
          {linked !== null && (
            <>
              {' · since '}
              <Moment at={linked * 1_000} />
            </>
          )}
        </p>
      </div>
      <Tag tone={tone} title={hint}>
        {label}
      </Tag>
      <div className="row-tools">
        <CopyButton text={url} subject={`link of ${domain}`} />
        <OpenIcon url={url} subject={domain} />
      </div>
    </div>
  );
}

const keyOf = ({ domain }: Domain) => domain;
