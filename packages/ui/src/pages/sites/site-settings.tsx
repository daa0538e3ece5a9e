import type { Deployment, Site } from '@berth/contract';
import { moment } from '@berth/client/amounts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Chips, PasswordField } from '../../components/field.tsx';
import { DialogForm } from '../../components/form.tsx';
import { Row, Section } from '../../components/rows.tsx';
import { useSitesApi } from '../../state/backend.ts';
import { useSubmit } from '../../state/requests.ts';
import { useNotes } from '../../state/toasts.ts';
import { passwordError } from '../../text/validate.ts';
import { LabelSites } from './site-dialogs.tsx';

interface SiteSettingsProps {
  site: Site;
  deployment: Deployment;
}

/** The password, the labels and the expiry of a site. */
export function SiteSettings({ site, deployment }: SiteSettingsProps) {
  const [open, setOpen] = useState<'password' | 'labels' | 'expiry' | null>(null);
  const queries = useQueryClient();
  const close = () => setOpen(null);
  const readAgain = () => void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[1] === 'site' });
  const change = (name: 'password' | 'labels' | 'expiry', label: string) => (
    <Button label="Change…" small aria-label={`Change ${label}`} onClick={() => setOpen(name)} />
  );
  const { expires } = deployment;
  return (
    <Section title="Settings">
      <Row
        name="Password"
        hint={deployment.password ? 'Visitors must enter a password.' : 'Everyone with the link can open the site.'}
        actions={change('password', 'the password')}
      />
      <Row
        name="Labels"
        hint={site.labels.length === 0 ? 'None' : <Chips labels={site.labels} />}
        actions={change('labels', 'the labels')}
      />
      {site.domain === null && (
        <Row
          name="Expiry"
          hint={expires === undefined ? 'The site does not expire.' : `The site is deleted at ${moment(expires)}.`}
          actions={change('expiry', 'the expiry')}
        />
      )}
      {open === 'password' && <PasswordDialog deployment={deployment} onClose={close} onSaved={readAgain} />}
      {open === 'labels' && <LabelSites sites={[site]} onClose={close} onSaved={readAgain} />}
      {open === 'expiry' && <ExpiryDialog deployment={deployment} onClose={close} onSaved={readAgain} />}
    </Section>
  );
}

interface ChangeProps {
  deployment: Deployment;
  onClose: () => void;
  onSaved: () => void;
}

function PasswordDialog({ deployment: { deployment, password: isProtected }, onClose, onSaved }: ChangeProps) {
  const { changeDeployment } = useSitesApi();
  const { showToast } = useNotes();
  const [password, setPassword] = useState<string>();
  const request = useSubmit();
  const save = async (next: string | null) => {
    if ((await request.submit(changeDeployment({ deployment, password: next }))) === null) return;
    showToast(next === null ? 'Password removed.' : 'Password set. Visitors must enter it from now on.');
    onSaved();
    onClose();
  };
  const isReady = password !== undefined && passwordError(password) === null;
  return (
    <Dialog title={isProtected ? 'Change the password' : 'Protect with a password'} onClose={onClose}>
      <DialogForm
        label={isProtected ? 'Change' : 'Set password'}
        isReady={isReady}
        request={request}
        onSubmit={() => save(password!)}
        onCancel={onClose}
      >
        <PasswordField
          password={password}
          onPassword={setPassword}
          hint="Visitors must enter it before they see the site. It has 6 to 128 characters."
        />
        {isProtected && (
          <p>
            <Button
              label="Remove the password"
              small
              variant="danger"
              busy={request.isBusy}
              onClick={() => save(null)}
            />
          </p>
        )}
      </DialogForm>
    </Dialog>
  );
}

const DAY = 86_400;
const LIFETIMES = [
  [null, 'Never'],
  [DAY, 'In 1 day'],
  [7 * DAY, 'In 7 days'],
  [30 * DAY, 'In 30 days'],
  [90 * DAY, 'In 90 days'],
] as const;

function ExpiryDialog({ deployment: { deployment }, onClose, onSaved }: ChangeProps) {
  const { changeDeployment } = useSitesApi();
  const { showToast } = useNotes();
  const [ttl, setTtl] = useState<number | null>(null);
  const request = useSubmit();
  const save = async () => {
    const saved = await request.submit(changeDeployment({ deployment, ttl }));
    if (saved === null) return;
    const { expires } = saved.value;
    showToast(expires === undefined ? 'The site no longer expires.' : `The site expires at ${moment(expires)}.`);
    onSaved();
    onClose();
  };
  return (
    <Dialog title="When does the site expire?" onClose={onClose}>
      <DialogForm label="Save" isReady request={request} onSubmit={save} onCancel={onClose}>
        <fieldset className="choices">
          <legend className="hidden">Expiry</legend>
          {LIFETIMES.map(([seconds, label]) => (
            <label key={label}>
              <input type="radio" name="ttl" checked={ttl === seconds} onChange={() => setTtl(seconds)} />
              {label}
            </label>
          ))}
        </fieldset>
        <p className="small soft">An expired site is deleted with its files.</p>
      </DialogForm>
    </Dialog>
  );
}
