import './domains-page.css';
import { Globe, Plus } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { ListEnd } from '../../components/list.tsx';
import { Empty, ForAccount, PageFrame } from '../../components/page.tsx';
import { useAccount } from '../../state/account.ts';
import { useDeployments, useDomains } from '../../state/lists.ts';
import { DomainCard } from './domain-card.tsx';
import { AddDomain } from './forms.tsx';

/** The account's domains. */
export function DomainsPage() {
  const [isAdding, setAdding] = useState(false);
  const { hasKey } = useAccount();
  const add = (
    <Button variant="primary" icon={Plus} onClick={() => setAdding(true)}>
      Add a domain…
    </Button>
  );
  return (
    <PageFrame title="Domains" actions={hasKey && add}>
      <ForAccount what="domains">
        <Domains isAdding={isAdding} onAdded={() => setAdding(false)} />
      </ForAccount>
    </PageFrame>
  );
}

function Domains({ isAdding, onAdded }: { isAdding: boolean; onAdded: () => void }) {
  const list = useDomains();
  const { items: deployments } = useDeployments();
  const [opened, setOpened] = useState<string | null>(null);
  const { items, hasMore, problem, change } = list;
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
              onChange={(changed) =>
                change((before) =>
                  changed === null
                    ? before.filter((each) => each.domain !== domain.domain)
                    : before.map((each) => (each.domain === domain.domain ? changed : each)),
                )
              }
            />
          </li>
        ))}
      </ul>
      <ListEnd list={list} />
    </>
  );
}
