import type { Deployment, Domain } from '@berth/contract';
import { useId, useState } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { Field } from '../../components/field.tsx';
import { DialogForm, FieldForm } from '../../components/form.tsx';
import { useSubmit } from '../../state/requests.ts';
import { useBackend } from '../../state/backend.ts';
import { useNotes } from '../../state/toasts.ts';
import { domainError } from '../../text/validate.ts';

interface AddDomainProps {
  deployments: readonly Deployment[];
  onAdded: (domain: Domain) => void;
  onClose: () => void;
}

export function AddDomain({ deployments, onAdded, onClose }: AddDomainProps) {
  const { api } = useBackend();
  const [domain, setDomain] = useState('');
  const [deployment, setDeployment] = useState('');
  const request = useSubmit();
  const error = domain === '' ? null : domainError(domain);
  const isReady = domain.trim() !== '' && error === null;

  const addDomain = async () => {
    const target = deployment.trim() === '' ? {} : { deployment: deployment.trim() };
    const addedDomain = await request.submit(api.putDomain({ domain: domain.trim(), ...target }));
    if (addedDomain) onAdded(addedDomain.value);
  };

  return (
    <Dialog title="Add a domain" onClose={onClose}>
      <DialogForm label="Add" isReady={isReady} request={request} onSubmit={addDomain} onCancel={onClose}>
        <Field
          label="Domain"
          placeholder="www.example.com"
          value={domain}
          lateError={error}
          hint="A custom domain, or a name below the platform domain."
          onText={setDomain}
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

export interface DomainProps {
  domain: Domain;
  deployments: readonly Deployment[];
  /** Called with the changed domain, or with `null` after the domain is deleted. */
  onChange: (changed: Domain | null) => void;
}

export function LinkForm({ domain: { domain, deployment }, deployments, onChange }: DomainProps) {
  const { api } = useBackend();
  const { showToast } = useNotes();
  // Until the user types, the field shows the current deployment of the domain, even when another client changes it.
  const [typed, setTyped] = useState<string | null>(null);
  const wantedDeployment = (typed ?? deployment ?? '').trim();
  const request = useSubmit();
  const isReady = wantedDeployment !== '' && wantedDeployment !== deployment;

  const link = async () => {
    const linkedDomain = await request.submit(api.putDomain({ domain, deployment: wantedDeployment }));
    if (linkedDomain === null) return;
    setTyped(null);
    onChange(linkedDomain.value);
    showToast(`${domain} now points to ${linkedDomain.value.deployment}.`);
  };

  return (
    <FieldForm
      className="domain-section"
      isReady={isReady}
      request={request}
      button={{ label: 'Update' }}
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

function DeploymentField({ label, value, deployments, onChange }: DeploymentFieldProps) {
  const id = useId();
  return (
    <>
      <Field label={label} value={value} list={id} placeholder="calm-otter-4k9x2qd" onText={onChange} />
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
