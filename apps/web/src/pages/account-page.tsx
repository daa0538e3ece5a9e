import '../sign-in/sign-in.css';
import { AccountPage } from '@berth/ui/components/page';
import { useAccountQuery } from '../account/account-provider.tsx';
import { ChooseAccount, DeleteAccount, RenameAccount, SignOut } from '../sign-in/account-settings.tsx';
import { Passkeys, Password } from '../sign-in/person-settings.tsx';
import { Sessions } from '../sign-in/sessions.tsx';
import { useSession } from '../state/session.tsx';

/** The account, the ways in which the person signs in, and the browsers in which they are signed in. */
export default function Page() {
  const { session } = useSession();
  const { data: account } = useAccountQuery();
  return (
    <AccountPage title="Account" actions={session.is === 'signed-in' && <SignOut />}>
      {session.is === 'signed-in' && (
        <>
          {account && <RenameAccount key={account.name} account={account} email={session.email} />}
          <ChooseAccount signedIn={session.signedIn} />
          <Passkeys />
          <Password />
          <Sessions />
          {account && session.signedIn.role === 'owner' && <DeleteAccount account={account} />}
        </>
      )}
    </AccountPage>
  );
}
