import '../sign-in/sign-in.css';
import { Button } from '@berth/ui/components/button';
import { accountName, useAccounts } from '../account/accounts.ts';
import { SignOut } from '../sign-in/account-settings.tsx';
import type { Session } from '../state/session.tsx';

/** Says that the account is suspended or terminated. The person can use another account or sign out. */
export function InactiveAccount({ session: { email, signedIn } }: { session: Extract<Session, { is: 'inactive' }> }) {
  const { accounts, choose } = useAccounts();
  const reason = signedIn.accountStateReason;
  const isSuspended = signedIn.accountState === 'suspended';
  const title = `This account is ${isSuspended ? 'suspended' : 'closed'}`;
  return (
    <div className="page-note">
      <title>{`${title} – Berth`}</title>
      <h1>{title}</h1>
      <p>
        {isSuspended
          ? 'The operator of this server has suspended it. Visitors of its sites see that they are paused, and nothing can be published or changed.'
          : 'The operator of this server has closed it. Its sites are no longer shown.'}{' '}
        {reason === null
          ? 'Only the operator can say why, and make it active again.'
          : 'Only the operator can make it active again.'}
      </p>
      {reason !== null && (
        <div className="facts">
          <p className="small soft">Reason</p>
          <p>{reason}</p>
        </div>
      )}
      <p className="soft">You are signed in as {email}.</p>
      <div className="note-actions">
        {accounts.map((each) => (
          <Button
            key={each.account}
            label={`Use ${accountName(each)}`}
            variant="primary"
            onClick={() => void choose(each.account)}
          />
        ))}
        <SignOut />
      </div>
    </div>
  );
}
