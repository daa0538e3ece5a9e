import './domains-page.css';
import { Globe, Plus } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { ListEnd } from '../../components/list.tsx';
import { AccountPage, Empty } from '../../components/page.tsx';
import { useDeployments, useDomains } from '../../state/lists.ts';
import { DomainCard } from './domain-card.tsx';
import { AddDomain } from './forms.tsx';

export function DomainsPage() {
  const [isAdding, setAdding] = useState(false);
  const addButton = <Button label="Add a domain…" variant="primary" icon={Plus} onClick={() => setAdding(true)} />;
  return (
    <AccountPage title="Domains" actions={addButton}>
      <Domains isAdding={isAdding} onAdded={() => setAdding(false)} />
    </AccountPage>
  );
}

function Domains({ isAdding, onAdded }: { isAdding: boolean; onAdded: () => void }) {
  const list = useDomains();
  const { items: deployments } = useDeployments();
  const [opened, setOpened] = useState<string | null>(null);
  const { items, hasMore, problem, change, replace } = list;
  return (
    <>
      {isAdding && (
        <AddDomain
          deployments={deployments}
          onClose={onAdded}
          onAdded={(added) => {
            change((before) => [added, ...before.filter(({ domain }) => domain !== added.domain)]);
            setOpened(added.status === 'success' ? null : added.domain);
            onAdded();
          }}
        />
      )}
      {items.length === 0 && !hasMore && problem === null && (
        <Empty
          icon={Globe}
          title="No domains yet"
          text="A domain is an address that stays the same while its site changes: a platform domain or a custom domain."
        />
      )}
      <ul className="domains" aria-label="Domains">
        {items.map((domain) => (
          <li key={domain.domain}>
            <DomainCard
              domain={domain}
              deployments={deployments}
              isOpen={opened === domain.domain}
              onToggle={() => setOpened(opened === domain.domain ? null : domain.domain)}
              onChange={(changed) => replace(domain.domain, changed)}
            />
          </li>
        ))}
      </ul>
      <ListEnd list={list} />
    </>
  );
}
