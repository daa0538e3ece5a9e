import './welcome.css';
import { Button } from '@berth/ui/components/button';
import { useAccount } from '@berth/ui/state/account';
import { hostOf } from '@berth/ui/text/url';
import { useEffect, useState } from 'react';
import { AppIcon } from '../../shell/app-icon.tsx';
import { currentServer } from '../../state/account.ts';
import { useShell } from '../../state/shell.ts';
import { useAppState } from '../../state/store.ts';
import { BrowserSignIn } from '../settings/browser-sign-in.tsx';
import { KeyForm } from '../settings/key-form.tsx';
import { ServerForm } from './server-form.tsx';

/** The first run: the user chooses a server, then signs in or continues without an account. */
export function Welcome() {
  const { route } = useShell();
  const presetServer = useAppState('presetServer');
  const [isChosen, setChosen] = useState(presetServer !== null);
  // A link to the app may name another server.
  useEffect(() => {
    if (route.server !== undefined) setChosen(false);
  }, [route]);
  return (
    <div className="welcome">
      <main className="welcome-card" aria-label="Welcome to Berth">
        <p className="welcome-brand" aria-hidden>
          <AppIcon size={44} />
        </p>
        {isChosen ? (
          <SignInStep onBack={() => setChosen(false)} />
        ) : (
          <ServerForm
            key={route.server ?? ''}
            initialAddress={route.server ?? presetServer ?? ''}
            isSuggested={route.server !== undefined}
            onChosen={() => setChosen(true)}
          />
        )}
      </main>
    </div>
  );
}

function SignInStep({ onBack }: { onBack: () => void }) {
  const { commands, ask } = useShell();
  const { hasAccess } = useAccount();
  const [usesKey, setUsesKey] = useState(false);
  const host = hostOf(currentServer(useAppState('session')).origin);
  const finish = () => void ask(commands.changeSettings({ welcomed: true }));
  useEffect(() => {
    if (hasAccess) finish();
  }, [hasAccess]);
  return (
    <>
      <h1>Sign in to {host}</h1>
      <p className="soft">
        With an account, sites stay online, keep their address, and are updated when a folder changes.
      </p>
      {usesKey ? <KeyForm /> : <BrowserSignIn />}
      <div className="welcome-foot">
        <Button label="Continue without an account" onClick={finish} />
        <span className="welcome-more">
          <Button
            label={usesKey ? 'Use the browser' : 'Use an API key'}
            small
            variant="quiet"
            onClick={() => setUsesKey(!usesKey)}
          />
          <Button label="Other server" small variant="quiet" onClick={onBack} />
        </span>
      </div>
      <p className="small soft">Without an account, a link lasts 3 days. You can sign in later and keep the site.</p>
    </>
  );
}
