import './browser-sign-in.css';
import { Button } from '@berth/ui/components/button';
import { CopyButton } from '@berth/ui/components/link';
import { ProblemBox, StatusLine } from '@berth/ui/components/status';
import { useSubmit } from '@berth/ui/state/requests';
import { ExternalLink } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useShell } from '../../state/shell.ts';

/** Signs in with the browser: a page of the server asks for the code that is shown here. */
export function BrowserSignIn() {
  const { commands, ask, showToast } = useShell();
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
            Your browser shows this code. Approve it there if both are the same. If no page has opened, enter the code
            at <span className="selectable">{prompt.page.replace(/^https?:\/\//, '')}</span>
          </p>
          <p className="sign-in-code selectable" aria-label={`Code ${prompt.code}`}>
            {prompt.code}
          </p>
          <StatusLine tone="busy">Waiting for your approval in the browser</StatusLine>
          <div className="card-actions">
            <CopyButton text={prompt.code} subject="code" label="Copy code" />
            <Button
              label="Open page"
              small
              icon={ExternalLink}
              onClick={() => void ask(commands.openLink({ url: prompt.page }))}
            />
            <Button label="Cancel" small onClick={() => void commands.cancelSignIn()} />
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
