import { Hourglass } from 'lucide-react';
import { moment } from '@berth/client/amounts';
import { useState } from 'react';
import type { Published, Publishing } from '../../../shared/publishing.ts';
import { Button } from '../../components/button.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { useAccount } from '../../state/account.ts';
import { useNow } from '../../state/clock.ts';
import { useShell } from '../../state/shell.ts';
import { remaining } from '../../text/time.ts';

/** Shows when an anonymous deployment expires, and how to claim it. @param expires Unix seconds. */
export function ClaimCallout({
  publishing: { id },
  published: { claim },
  expires,
}: {
  publishing: Publishing;
  published: Published;
  expires: number;
}) {
  const { desktop, ask, navigate } = useShell();
  const { hasKey } = useAccount();
  const [isBusy, setBusy] = useState(false);
  const seconds = expires - Math.floor(useNow() / 1_000);
  if (seconds <= 0)
    return (
      <div className="callout is-calm">
        <Hourglass size={15} aria-hidden />
        <p title={moment(expires)}>This link has expired. Drop the folder again to get a new one.</p>
      </div>
    );
  return (
    <div className="callout">
      <Hourglass size={15} aria-hidden />
      <p title={`Expires ${moment(expires)}`}>
        Expires in {remaining(seconds)}.{claim !== null && (hasKey ? ' Claim it to keep it.' : ' Sign in to keep it.')}
      </p>
      {claim !== null && (
        <span className="card-actions">
          {hasKey ? (
            <Button
              small
              variant="primary"
              busy={isBusy}
              onClick={async () => {
                setBusy(true);
                await ask(desktop.commands.claimPublishing({ id }));
                setBusy(false);
              }}
            >
              Claim it
            </Button>
          ) : (
            <Button small variant="primary" onClick={() => navigate({ page: 'settings' })}>
              Sign in
            </Button>
          )}
          <CopyButton text={claim} what="claim link" label="Copy claim link" />
        </span>
      )}
    </div>
  );
}
