import type { Deployment, Domain } from '@berth/contract';
import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { ProblemBox } from '../../components/problem.tsx';
import { useShell } from '../../state/shell.ts';
import { useSubmit } from '../../state/use-submit.ts';
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
  const { submit, isBusy, problem } = useSubmit();
  const isSame = wanted.trim() === '' || wanted.trim() === deployment;

  const link = async () => {
    const linked = await submit(desktop.commands.putDomain({ domain, deployment: wanted.trim() }));
    if (linked === null) return;
    setTyped(null);
    onChange(linked.value);
    showToast({ text: `${domain} now points to ${linked.value.deployment}.` });
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
