import { requireWholeName } from '@berth/client/browser';
import type { CreatedToken } from '@berth/contract';
import { Dialog } from '@berth/ui/components/dialog';
import { Field, LabelsField } from '@berth/ui/components/field';
import { DialogForm } from '@berth/ui/components/form';
import { Select } from '@berth/ui/components/select';
import { useSubmit } from '@berth/ui/state/requests';
import { domainError } from '@berth/ui/text/validate';
import { useState } from 'react';
import { client } from '../../backend.ts';
import { useProven } from '../../sign-in/prove.tsx';

const DAY = 86_400;
const LIFETIMES = [
  ['', 'Never'],
  [String(30 * DAY), 'In 30 days'],
  [String(90 * DAY), 'In 90 days'],
  [String(365 * DAY), 'In a year'],
] as const;

/** Creates a deploy token, optionally limited to domains, or an API key. */
export function MakeToken({ onMade, onClose }: { onMade: (token: CreatedToken) => void; onClose: () => void }) {
  const [kind, setKind] = useState<'deploy' | 'api'>('deploy');
  const [ttl, setTtl] = useState('');
  const [domainText, setDomainText] = useState('');
  const [labels, setLabels] = useState<string[]>([]);
  const request = useSubmit();
  const proven = useProven();
  const domains = kind === 'deploy' ? domainText.split(/[\s,]+/).filter((name) => name !== '') : [];
  const error = domains.map(domainError).find((each) => each !== null) ?? null;
  const make = async () => {
    const made = await request.submit(
      proven(async () =>
        client.api.tokens.create.mutate({
          kind,
          ...(ttl !== '' && { ttl: Number(ttl) }),
          ...(labels.length > 0 && { labels }),
          ...(domains.length > 0 && {
            domains: await Promise.all(domains.map((name) => requireWholeName(client, name))),
          }),
        }),
      ),
    );
    if (made !== null) onMade(made.value);
  };
  return (
    <Dialog title="New token" onClose={onClose}>
      <DialogForm
        label="Create"
        isReady={error === null}
        request={request}
        autoComplete="off"
        onSubmit={make}
        onCancel={onClose}
      >
        <fieldset className="token-kinds">
          <legend className="hidden">Kind</legend>
          <Kind
            name="Deploy token"
            hint="Can only publish. For CI and other people’s machines."
            isChecked={kind === 'deploy'}
            onChoose={() => setKind('deploy')}
          />
          <Kind
            name="API key"
            hint="Has full access to your account. For your own machine."
            isChecked={kind === 'api'}
            onChoose={() => setKind('api')}
          />
        </fieldset>
        {kind === 'deploy' && (
          <Field
            label="Domains (optional)"
            placeholder="www.example.com, docs.example.com"
            value={domainText}
            lateError={error}
            hint="The token can publish to these domains only. Without a domain, it can only create new sites."
            onText={setDomainText}
          />
        )}
        <LabelsField labels={labels} onChange={setLabels} label="Labels (optional)" />
        <div>
          <Select label="Expires" value={ttl} options={LIFETIMES} onChange={setTtl} />
        </div>
      </DialogForm>
    </Dialog>
  );
}

interface KindProps {
  name: string;
  hint: string;
  isChecked: boolean;
  onChoose: () => void;
}

function Kind({ name, hint, isChecked, onChoose }: KindProps) {
  return (
    <label className="token-kind">
      <input type="radio" name="kind" checked={isChecked} onChange={onChoose} />
      <span>
        <span className="name">{name}</span>
        <span className="small soft">{hint}</span>
      </span>
    </label>
  );
}
