import '../sign-in/sign-in.css';
import type { DeviceRequest } from '@berth/contract';
import { Button } from '@berth/ui/components/button';
import { Field } from '@berth/ui/components/field';
import { Form } from '@berth/ui/components/form';
import { Moment, ProblemBox } from '@berth/ui/components/status';
import { useNow } from '@berth/ui/state/clock';
import { useSubmit } from '@berth/ui/state/requests';
import { useState } from 'react';
import { useSearch } from 'wouter';
import { answerOf } from '../account/answers.ts';
import { client } from '../backend.ts';
import { AccountGate } from '../shell/account-gate.tsx';
import { useProven } from '../sign-in/prove.tsx';
import { useSession } from '../state/session.tsx';

const CODE_LETTERS = 8;

/** Lets a person approve the command line or the desktop app, which shows a code. A link only fills the field. */
export default function DevicePage() {
  return (
    <AccountGate title="Approve a device" invitation="Sign in to let a program use your account.">
      <ApproveDevice />
    </AccountGate>
  );
}

type Step = { is: 'code' } | { is: 'found'; device: DeviceRequest } | { is: 'approved' | 'denied'; client: string };

function ApproveDevice() {
  const [code, setCode] = useState(new URLSearchParams(useSearch()).get('code') ?? '');
  const [step, setStep] = useState<Step>({ is: 'code' });
  const find = useSubmit();
  const isReady = code.replace(/[^a-z]/gi, '').length === CODE_LETTERS;
  const showDevice = async () => {
    const found = await find.submit(answerOf(client.api.devices.find.mutate({ code })));
    if (found) setStep({ is: 'found', device: found.value });
  };
  return (
    <div className="page-note">
      <h1>Approve a device</h1>
      {step.is === 'code' && (
        <>
          <p>A program that signs in to your account shows a code. Enter it here.</p>
          <Form className="stack" isReady={isReady} onSubmit={() => void showDevice()}>
            <Field
              label="Code"
              className="code-field"
              placeholder="BCDF-GHJK"
              autoCapitalize="characters"
              maxLength={16}
              autoFocus
              value={code}
              onText={setCode}
            />
            <Button label="Continue" type="submit" variant="primary" busy={find.isBusy} disabled={!isReady} />
            <ProblemBox problem={find.problem} />
          </Form>
        </>
      )}
      {step.is === 'found' && <Decide code={code} device={step.device} onDone={setStep} />}
      {(step.is === 'approved' || step.is === 'denied') && (
        <p role="status">
          {step.is === 'approved'
            ? `${step.client} is signed in. You can close this page and continue there.`
            : `${step.client} was denied. It cannot use your account.`}
        </p>
      )}
    </div>
  );
}

interface DecideProps {
  code: string;
  device: DeviceRequest;
  onDone: (step: Step) => void;
}

function Decide({ code, device, onDone }: DecideProps) {
  const { session } = useSession();
  const proven = useProven();
  const { isBusy, problem, submit } = useSubmit();
  const { api } = client;
  const now = useNow(1_000);
  const decide = async (decision: 'approved' | 'denied') => {
    const procedure = decision === 'approved' ? api.devices.approve : api.devices.deny;
    if (await submit(proven(() => procedure.mutate({ code })))) onDone({ is: decision, client: device.client });
  };
  if (device.expires * 1_000 <= now)
    return <p role="alert">This request has expired. Start again in {device.client}, and enter the new code here.</p>;
  return (
    <>
      <div className="facts">
        <p className="name">{device.client}</p>
        <p className="soft">
          From the address {device.address}, <Moment at={device.created * 1000} />
        </p>
      </div>
      <p>
        It gets an API key, which can do everything in the account
        {session.is === 'signed-in' ? ` of ${session.email}` : ''}. Approve only if you started this a moment ago.
      </p>
      <div className="note-actions">
        <Button label="Approve" variant="primary" busy={isBusy} onClick={() => void decide('approved')} />
        <Button label="Deny" onClick={() => void decide('denied')} />
      </div>
      <ProblemBox problem={problem} />
    </>
  );
}
