import { Button } from '@berth/ui/components/button';
import { Field } from '@berth/ui/components/field';
import { Form } from '@berth/ui/components/form';
import { ProblemBox, StatusLine } from '@berth/ui/components/status';
import { useAnswer, useSubmit } from '@berth/ui/state/requests';
import { useSettled } from '@berth/ui/state/sites';
import { hostOf } from '@berth/ui/text/url';
import { useState } from 'react';
import type { Answer } from '../../../shared/contract.ts';
import { useShell } from '../../state/shell.ts';
import { useAppState } from '../../state/store.ts';

/** The delay between the last key and the check of an address, in milliseconds. */
const CHECK_DELAY_MS = 400;

const NEXT = 'Check the address and your connection.';

/** What a check found about an address. */
interface Check {
  address: string;
  origin: string;
}

interface ServerFormProps {
  initialAddress: string;
  /** True if the address comes from a link that the user followed. */
  isSuggested: boolean;
  onChosen: () => void;
}

/** Asks for the address of the server, and checks it while the user types. */
export function ServerForm({ initialAddress, isSuggested, onChosen }: ServerFormProps) {
  const { commands } = useShell();
  const { servers } = useAppState('session');
  const [typed, setTyped] = useState(initialAddress);
  const address = typed.trim();
  const settled = useSettled(address, CHECK_DELAY_MS);
  const {
    value: check,
    problem,
    read,
  } = useAnswer(async (): Promise<Answer<Check | null>> => {
    if (settled === '') return { ok: true, value: null };
    const answer = await commands.checkServer({ address: settled });
    return answer.ok ? { ok: true, value: { address: settled, ...answer.value } } : answer;
  }, [commands, settled]);
  const request = useSubmit();
  const isReachable = check !== null && check.address === address && problem === null;
  const isChecking = address !== '' && (address !== settled || (!isReachable && problem === null));

  const choose = async () => {
    const added = await request.submit(commands.addServer({ address }));
    if (added === null) return;
    // The server that the app knew before was not the choice of the user.
    for (const { origin, signIn } of servers)
      if (origin !== added.value.origin && signIn.is === 'signed-out') await commands.removeServer({ origin });
    onChosen();
  };
  return (
    <>
      <h1>Where is your Berth?</h1>
      <p className="soft">Berth publishes your folders to a Berth server. Enter the address of yours.</p>
      <Form className="welcome-form" isReady={isReachable} onSubmit={choose} aria-label="Server">
        <Field
          label="Server address"
          placeholder="berth.example.com"
          value={typed}
          autoFocus
          hint={
            isSuggested
              ? 'A link suggested this server. Continue only if you trust it.'
              : 'Ask the person who runs it, or copy it from your browser.'
          }
          onText={setTyped}
        />
        <div className="welcome-check" aria-live="polite">
          {isChecking && <StatusLine tone="busy">Checking the address</StatusLine>}
          {!isChecking && isReachable && <StatusLine tone="good">{hostOf(check.origin)} is reachable.</StatusLine>}
        </div>
        <ProblemBox
          problem={
            request.problem ?? (isChecking || address === '' || problem === null ? null : { ...problem, next: NEXT })
          }
          onRetry={problem !== null && !isChecking && (() => void read())}
        />
        <div className="welcome-foot">
          <Button label="Continue" type="submit" variant="primary" busy={request.isBusy} disabled={!isReachable} />
        </div>
      </Form>
    </>
  );
}
