import type { Deployment, Domain } from '@berth/contract';
import { useId, useState } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { Field } from '../../components/field.tsx';
import { DialogForm, FieldForm } from '../../components/form.tsx';
import { useSubmit } from '../../state/requests.ts';
import { useShell } from '../../state/shell.ts';
import { domainError } from '../../text/validate.ts';

interface AddDomainProps {
  deployments: readonly Deployment[];
  onAdded: (domain: Domain) => void;
  onClose: () => void;
}

/** Dialog that adds a domain to the account. */
export function AddDomain({ deployments, onAdded, onClose }: AddDomainProps) {
  const { commands } = useShell();
  const [domain, setDomain] = useState('');
  const [deployment, setDeployment] = useState('');
  const [isBlurred, setBlurred] = useState(false);
  const request = useSubmit();
  const error = domain === '' ? null : domainError(domain);
  const isReady = domain.trim() !== '' && error === null;

  const add = async () => {
    const target = deployment.trim() === '' ? {} : { deployment: deployment.trim() };
    const added = await request.submit(commands.putDomain({ domain: domain.trim(), ...target }));
    if (added) onAdded(added.value);
  };

  return (
    <Dialog title="Add a domain" onClose={onClose}>
      <DialogForm label="Add" isReady={isReady} request={request} onSubmit={add} onCancel={onClose}>
        <Field
          label="Domain"
          placeholder="www.example.com"
          value={domain}
          error={isBlurred ? error : null}
          hint="A custom domain, or a name below the platform domain."
          onBlur={() => setBlurred(true)}
          onChange={(event) => {
            setDomain(event.target.value);
            setBlurred(false);
          }}
        />
        <DeploymentField
          label="Points to (optional)"
          value={deployment}
          deployments={deployments}
          onChange={setDeployment}
        />
      </DialogForm>
    </Dialog>
  );
}

/** A domain, and what its card and the forms on it need. */
export interface DomainProps {
  domain: Domain;
  deployments: readonly Deployment[];
  /** Called with the changed domain; with `null` after it is deleted. */
  onChange: (changed: Domain | null) => void;
}

/** Form that points a domain at another deployment. */
export function LinkForm({ domain: { domain, deployment }, deployments, onChange }: DomainProps) {
  const { commands, showToast } = useShell();
  // Follows the domain's current deployment until the user types, even when it is changed elsewhere.
  const [typed, setTyped] = useState<string | null>(null);
  const wanted = (typed ?? deployment ?? '').trim();
  const request = useSubmit();
  const isReady = wanted !== '' && wanted !== deployment;

  const link = async () => {
    const linked = await request.submit(commands.putDomain({ domain, deployment: wanted }));
    if (linked === null) return;
    setTyped(null);
    onChange(linked.value);
    showToast(`${domain} now points to ${linked.value.deployment}.`);
  };

  return (
    <FieldForm
      className="domain-section"
      isReady={isReady}
      request={request}
      button={{ children: 'Update' }}
      onSubmit={link}
    >
      <DeploymentField
        label="Points to"
        value={typed ?? deployment ?? ''}
        deployments={deployments}
        onChange={setTyped}
      />
    </FieldForm>
  );
}

interface DeploymentFieldProps {
  label: string;
  value: string;
  deployments: readonly Deployment[];
  onChange: (deployment: string) => void;
}

/** Input for a deployment, with the newest ones as suggestions. */
function DeploymentField({ label, value, deployments, onChange }: DeploymentFieldProps) {
  const id = useId();
  return (
    <>
      <Field
        label={label}
        value={value}
        list={id}
        placeholder="calm-otter-4k9x2qd"
        onChange={(event) => onChange(event.target.value)}
      />
      <datalist id={id}>
        {deployments.slice(0, 50).map(({ deployment, labels }) => (
          <option key={deployment} value={deployment}>
            {labels.join(', ')}
          </option>
        ))}
      </datalist>
    </>
  );
}
