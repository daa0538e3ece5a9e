import type { Domain } from '@berth/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { Field } from '../../components/field.tsx';
import { DialogForm } from '../../components/form.tsx';
import { StatusLine } from '../../components/status.tsx';
import { useBackend, useSitesApi } from '../../state/backend.ts';
import { valueOf } from '../../state/query.ts';
import { useSubmit } from '../../state/requests.ts';
import { useSettled } from '../../state/sites.ts';
import { domainError } from '../../text/validate.ts';

const CHECK_DELAY_MS = 300;

interface AddDomainProps {
  /** The deployment to show at the domain. Default: none. */
  target?: string;
  /** The labels of the domain. Default: none. */
  labels?: string[];
  /** Default: says what is added. */
  title?: string;
  onAdded: (domain: Domain) => void;
  onClose: () => void;
}

/** Adds a domain, and checks while the user types whether the account can have the name. */
export function AddDomain({ target, labels, title, onAdded, onClose }: AddDomainProps) {
  const { api } = useBackend();
  const [name, setName] = useState('');
  const typed = name.trim();
  const error = typed === '' ? null : domainError(typed);
  const validation = useValidation(error === null ? typed : '');
  const request = useSubmit();
  const refusal = validation?.available === false ? validation.reason : null;
  const isReady = typed !== '' && error === null && refusal === null;
  const add = async () => {
    const added = await request.submit(api.putDomain({ domain: typed, deployment: target, ...(labels && { labels }) }));
    if (added !== null) onAdded(added.value);
  };
  return (
    <Dialog title={title ?? (target === undefined ? 'Add a domain' : 'Show this site at a domain')} onClose={onClose}>
      <DialogForm
        label={target === undefined ? 'Add' : 'Show'}
        isReady={isReady}
        request={request}
        onSubmit={add}
        onCancel={onClose}
      >
        <Field
          label="Domain"
          placeholder="www.example.com"
          value={name}
          lateError={error}
          error={refusal}
          hint="A domain that you own, or one word for a name on this server, such as “docs”."
          onText={setName}
        />
        <div aria-live="polite">
          {validation?.available === true && (
            <StatusLine tone="good">{`${validation.normalized ?? typed} is available.`}</StatusLine>
          )}
        </div>
      </DialogForm>
    </Dialog>
  );
}

/** Asks the server whether the account can have a name. @returns `undefined` until the answer for this name arrives. */
function useValidation(name: string) {
  const { validateDomain } = useSitesApi();
  const settled = useSettled(name, CHECK_DELAY_MS);
  const { data } = useQuery({
    queryKey: ['validation', settled],
    queryFn: () => valueOf(validateDomain({ domain: settled })),
    enabled: settled !== '',
    gcTime: 0,
  });
  return settled === name ? data : undefined;
}
