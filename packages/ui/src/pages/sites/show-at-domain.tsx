import type { Deployment } from '@berth/contract';
import { Globe } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { PlaceLink } from '../../components/place-link.tsx';
import { Row, Section } from '../../components/rows.tsx';
import { useNavigation } from '../../state/navigation.ts';
import { AddDomain } from '../domains/add-domain.tsx';

/** The domains that show a deployment, and the way to show it at another one. */
export function ShowAtDomain({ deployment: { deployment, domains, expires } }: { deployment: Deployment }) {
  const { navigate } = useNavigation();
  const [isAdding, setAdding] = useState(false);
  return (
    <Section title="Domains">
      {domains.map((domain) => (
        <Row
          key={domain}
          name={
            <PlaceLink to={{ site: domain }} className="link name clip">
              {domain}
            </PlaceLink>
          }
        />
      ))}
      <Row
        name={domains.length === 0 ? 'No domain shows this site' : 'Another domain'}
        hint={
          expires === undefined
            ? 'A domain is an address that stays the same while its site changes.'
            : 'A site that expires cannot be shown at a domain. Change its expiry first.'
        }
        actions={
          <Button
            label="Show at a domain…"
            icon={Globe}
            disabled={expires !== undefined}
            onClick={() => setAdding(true)}
          />
        }
      />
      {isAdding && (
        <AddDomain
          target={deployment}
          onClose={() => setAdding(false)}
          onAdded={({ domain }) => navigate({ domain })}
        />
      )}
    </Section>
  );
}
