import type { Deployment } from '@berth/contract';
import { useId } from 'react';
import { Field } from '../../components/field.tsx';

/** Input for a deployment, with the newest ones as suggestions. */
export function DeploymentField({
  label,
  value,
  deployments,
  onChange,
}: {
  label: string;
  value: string;
  deployments: readonly Deployment[];
  onChange: (deployment: string) => void;
}) {
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
