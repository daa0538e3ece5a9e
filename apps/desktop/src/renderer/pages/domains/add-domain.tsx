import type { Deployment, Domain } from '@berth/contract';
import { useState } from 'react';
import type { Problem } from '../../../shared/problem.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Field } from '../../components/field.tsx';
import { ProblemBox } from '../../components/problem.tsx';
import { useShell } from '../../state/shell.ts';
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
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isBusy, setBusy] = useState(false);
  const error = domain === '' ? null : domainError(domain);

  const add = async () => {
    setBusy(true);
    setProblem(null);
    const answer = await desktop.commands.putDomain({
      domain: domain.trim(),
      ...(deployment.trim() === '' ? {} : { deployment: deployment.trim() }),
    });
    setBusy(false);
    if (answer.ok) onAdded(answer.value);
    else setProblem(answer.problem);
  };

  return (
    <Dialog title="Add a domain" onClose={onClose}>
      <form
        className="dialog-body"
        onSubmit={(event) => {
          event.preventDefault();
          if (domain.trim() !== '' && error === null) void add();
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
        <div className="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" busy={isBusy} disabled={domain.trim() === '' || error !== null}>
            Add
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
