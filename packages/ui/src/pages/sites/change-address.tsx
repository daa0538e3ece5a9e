import type { Site } from '@berth/contract';
import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ProblemBox } from '../../components/status.tsx';
import { useBackend } from '../../state/backend.ts';
import { useNavigation } from '../../state/navigation.ts';
import { useSubmit } from '../../state/requests.ts';
import { useNotes } from '../../state/toasts.ts';
import { AddDomain } from '../domains/add-domain.tsx';

interface ChangeAddressProps {
  site: Site;
  /** The domain that shows the site. */
  domain: string;
  /** The deployment that the site shows. */
  deployment: string;
  onClose: () => void;
}

/** Shows a site at another address, then asks whether to remove the old address. */
export function ChangeAddress({ site, domain, deployment, onClose }: ChangeAddressProps) {
  const [newDomain, setNewDomain] = useState<string | null>(null);
  if (newDomain !== null) return <RemoveOldAddress oldDomain={domain} newDomain={newDomain} />;
  return (
    <AddDomain
      title={`New address for ${domain}`}
      target={deployment}
      labels={site.labels}
      onAdded={(added) => setNewDomain(added.domain)}
      onClose={onClose}
    />
  );
}

function RemoveOldAddress({ oldDomain, newDomain }: { oldDomain: string; newDomain: string }) {
  const { api } = useBackend();
  const { navigate } = useNavigation();
  const { showToast } = useNotes();
  const request = useSubmit();
  const showNew = () => navigate({ site: newDomain });
  const remove = async () => {
    if ((await request.submit(api.deleteDomain({ domain: oldDomain }))) === null) return;
    showToast(`${oldDomain} removed.`);
    showNew();
  };
  return (
    <Dialog title="Remove the old address?" onClose={showNew}>
      <div className="dialog-body">
        <p>
          {newDomain} now shows the site. If you remove {oldDomain}, links to it stop working. Its earlier versions stay
          in the list of sites.
        </p>
        <ProblemBox problem={request.problem} />
        <div className="dialog-foot">
          <Button label="Keep both" onClick={showNew} />
          <Button label="Remove old address" variant="danger" busy={request.isBusy} onClick={remove} />
        </div>
      </div>
    </Dialog>
  );
}
