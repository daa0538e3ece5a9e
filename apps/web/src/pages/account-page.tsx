import '../sign-in/sign-in.css';
import { AccountPage } from '@berth/ui/components/page';
import { useAccountQuery } from '../account/account-provider.tsx';
import { ChooseAccount, DeleteAccount, RenameAccount, SignOut } from '../sign-in/account-settings.tsx';
import { Identities } from '../sign-in/identities.tsx';
import { PersonDetails } from '../sign-in/person-details.tsx';
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
          <PersonDetails person={session.signedIn.person} />
          {account && <RenameAccount key={account.name} account={account} />}
          <ChooseAccount signedIn={session.signedIn} />
          <Passkeys />
          <Password />
          <Identities signedIn={session.signedIn} provider={session.offer.methods.oidc} />
          <Sessions />
          {account && session.signedIn.role === 'owner' && <DeleteAccount account={account} />}
        </>
      )}
    </AccountPage>
  );
}
