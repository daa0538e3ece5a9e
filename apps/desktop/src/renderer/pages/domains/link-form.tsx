import type { Deployment, Domain } from '@berth/contract';
import { useState } from 'react';
import type { Problem } from '../../../shared/problem.ts';
import { Button } from '../../components/button.tsx';
import { ProblemBox } from '../../components/problem.tsx';
import { useShell } from '../../state/shell.ts';
import { DeploymentField } from './deployment-field.tsx';

/** Form that points a domain at another deployment. */
export function LinkForm({
  domain: { domain, deployment },
  deployments,
  onChange,
}: {
  domain: Domain;
  deployments: readonly Deployment[];
  onChange: (changed: Domain) => void;
}) {
  const { desktop, showToast } = useShell();
  // Follows the domain's current deployment until the user types, even when it is changed elsewhere.
  const [typed, setTyped] = useState<string | null>(null);
  const wanted = typed ?? deployment ?? '';
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isBusy, setBusy] = useState(false);
  const isSame = wanted.trim() === '' || wanted.trim() === deployment;

  const link = async () => {
    setBusy(true);
    setProblem(null);
    const answer = await desktop.commands.putDomain({ domain, deployment: wanted.trim() });
    setBusy(false);
    if (!answer.ok) return setProblem(answer.problem);
    setTyped(null);
    onChange(answer.value);
    showToast({ text: `${domain} now points to ${answer.value.deployment}.` });
  };

  return (
    <form
      className="domain-section"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isSame) void link();
      }}
    >
      <div className="link-form">
        <DeploymentField label="Points to" value={wanted} deployments={deployments} onChange={setTyped} />
        <Button type="submit" busy={isBusy} disabled={isSame}>
          Update
        </Button>
      </div>
      {problem !== null && <ProblemBox problem={problem} />}
    </form>
  );
}
