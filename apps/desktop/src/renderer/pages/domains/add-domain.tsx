import type { Deployment, Domain } from '@berth/contract';
import { useState } from 'react';
import { Dialog, FormButtons } from '../../components/dialog.tsx';
import { Field } from '../../components/field.tsx';
import { ProblemBox } from '../../components/problem.tsx';
import { useShell } from '../../state/shell.ts';
import { useSubmit } from '../../state/use-submit.ts';
import { domainError } from '../../text/validate.ts';
import { DeploymentField } from './deployment-field.tsx';

/** Dialog that adds a domain to the account. */
export function AddDomain({
  deployments,
  onAdded,
  onClose,
}: {
  deployments: readonly Deployment[];
  onAdded: (domain: Domain) => void;
  onClose: () => void;
}) {
  const { desktop } = useShell();
  const [domain, setDomain] = useState('');
  const [deployment, setDeployment] = useState('');
  const [isBlurred, setBlurred] = useState(false);
  const { submit, isBusy, problem } = useSubmit();
  const error = domain === '' ? null : domainError(domain);
  const isReady = domain.trim() !== '' && error === null;

  const add = async () => {
    const target = deployment.trim() === '' ? {} : { deployment: deployment.trim() };
    const added = await submit(desktop.commands.putDomain({ domain: domain.trim(), ...target }));
    if (added) onAdded(added.value);
  };

  return (
    <Dialog title="Add a domain" onClose={onClose}>
      <form
        className="dialog-body"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) void add();
        }}
      >
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
        {problem !== null && <ProblemBox problem={problem} />}
        <FormButtons label="Add" isBusy={isBusy} isReady={isReady} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
