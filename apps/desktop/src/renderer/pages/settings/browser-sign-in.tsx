import { Button } from '@berth/ui/components/button';
import { ProblemBox, StatusLine } from '@berth/ui/components/status';
import { useSubmit } from '@berth/ui/state/requests';
import { ExternalLink } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useShell } from '../../state/shell.ts';

/** Signs in with the browser: a page of the server asks for the code that is shown here. */
export function BrowserSignIn() {
  const { commands, showToast } = useShell();
  const request = useSubmit();
  const [prompt, setPrompt] = useState<{ code: string; page: string } | null>(null);
  const [isOffered, setOffered] = useState(true);
  useEffect(() => () => void commands.cancelSignIn(), [commands]);
  const signIn = async () => {
    const begun = await request.submit(commands.beginSignIn());
    if (begun === null) return;
    setPrompt(begun.value);
    setOffered(begun.value !== null);
    if (begun.value === null) return;
    const signedIn = await request.submit(commands.awaitSignIn());
    setPrompt(null);
    if (signedIn !== null) showToast(`Signed in as ${signedIn.value.email}.`);
  };
  return (
    <div className="settings-pad">
      {prompt ? (
        <>
          <p>
            Enter the code <strong className="selectable">{prompt.code}</strong> on{' '}
            {prompt.page.replace(/^https?:\/\//, '')}
          </p>
          <StatusLine tone="busy">Waiting for your approval in the browser</StatusLine>
          <div>
            <Button label="Cancel" onClick={() => void commands.cancelSignIn()} />
          </div>
        </>
      ) : (
        <div>
          <Button
            label="Sign in with the browser"
            variant="primary"
            icon={ExternalLink}
            busy={request.isBusy}
            onClick={() => void signIn()}
          />
        </div>
      )}
      {!isOffered && <p className="soft small">This server cannot ask you in the browser. Use an API key.</p>}
      <ProblemBox problem={request.problem?.kind === 'aborted' ? null : request.problem} />
    </div>
  );
}
