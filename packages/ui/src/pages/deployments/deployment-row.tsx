import type { Deployment, Domain } from '@berth/contract';
import { moment } from '@berth/client/amounts';
import { Copy, Ellipsis, Hourglass, Lock, Tags, Trash2 } from 'lucide-react';
import { memo, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Confirm, Dialog, useFirstFocus } from '../../components/dialog.tsx';
import { Chips, LabelsField } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { CopyButton, Link, OpenIcon } from '../../components/link.tsx';
import { Menu } from '../../components/menu.tsx';
import { Moment, Tag } from '../../components/status.tsx';
import { useNow } from '../../state/clock.ts';
import { useBusy } from '../../state/requests.ts';
import { useBackend } from '../../state/backend.ts';
import { useNavigation } from '../../state/navigation.ts';
import { useNotes } from '../../state/toasts.ts';
import { sizeText } from '../../text/files.ts';
import { remainingText } from '../../text/time.ts';

/** Whether a row shows the site, the form for its labels, or the question before the site is deleted. */
export type RowMode = 'shown' | 'labels' | 'delete';

/** Texts for the clients that deployments are published with. An unknown client is shown as the server names it. */
const VIA: Readonly<Record<string, string>> = { api: 'API', cli: 'CLI', desktop: 'desktop app' };

interface DeploymentRowProps {
  site: Deployment;
  domains: readonly Domain[];
  mode: RowMode;
  onMode: (deployment: string, mode: RowMode) => void;
  /** Called with the changed site, or with `null` after the site is deleted. */
  onChange: (deployment: string, changed: Deployment | null) => void;
}

export const DeploymentRow = memo(function DeploymentRow({
  site,
  domains,
  mode,
  onMode,
  onChange,
}: DeploymentRowProps) {
  const { api } = useBackend();
  const { ask } = useNotes();
  const { deployment } = site;
  const setMode = (next: RowMode) => onMode(deployment, next);
  const closeForm = () => setMode('shown');
  if (mode === 'labels')
    return <EditLabels site={site} onClose={closeForm} onSave={(saved) => onChange(deployment, saved)} />;
  if (mode === 'delete' && domains.length === 0)
    return (
      <div className="site">
        <Confirm
          question={`Delete ${deployment}? Its link stops working. This cannot be undone.`}
          action="Delete"
          onCancel={closeForm}
          onConfirm={async () => {
            const deleteAnswer = await ask(api.deleteDeployment({ deployment }));
            closeForm();
            if (deleteAnswer) onChange(deployment, null);
          }}
        />
      </div>
    );
  return (
    <>
      <SiteSummary site={site} domains={domains} onMode={setMode} />
      {mode === 'delete' && <LinkedDialog site={site} domains={domains} onClose={closeForm} />}
    </>
  );
});

/** Says that a site cannot be deleted, because the server keeps a deployment while a domain points at it. Source: api §3. */
function LinkedDialog({
  site: { deployment },
  domains,
  onClose,
}: Pick<DeploymentRowProps, 'site' | 'domains'> & { onClose: () => void }) {
  const { navigate } = useNavigation();
  const cancelButton = useFirstFocus();
  const isOne = domains.length === 1;
  return (
    <Dialog title={`${deployment} is in use`} onClose={onClose}>
      <div className="dialog-body">
        <p>{isOne ? 'This domain points to the site:' : 'These domains point to the site:'}</p>
        <ul className="linked-domains">
          {domains.map(({ domain }) => (
            <li key={domain} className="selectable">
              {domain}
            </li>
          ))}
        </ul>
        <p className="soft">
          {isOne
            ? 'To delete the site, first point the domain to another site, or delete the domain.'
            : 'To delete the site, first point each domain to another site, or delete the domains.'}
        </p>
        <div className="dialog-foot">
          <Button label="Cancel" ref={cancelButton} onClick={onClose} />
          <Button label="Open Domains" variant="primary" onClick={() => navigate('domains')} />
        </div>
      </div>
    </Dialog>
  );
}

function SiteSummary({
  site,
  domains,
  onMode,
}: Pick<DeploymentRowProps, 'site' | 'domains'> & { onMode: (mode: RowMode) => void }) {
  const { copy } = useBackend();
  const { ask } = useNotes();
  const { deployment, labels, password, status, via, created } = site;
  // The URL of a live domain says more to the user than the id of the deployment.
  const domain = domains.find(({ status }) => status === 'success');
  const url = domain?.url ?? site.url;
  const isDeleting = status === 'deleting';
  return (
    <div className={isDeleting ? 'site is-deleting' : 'site'}>
      <div className="site-text">
        <p>
          {isDeleting ? (
            <span className="clip">{deployment}</span>
          ) : (
            <Link url={url} className="clip">
              {domain?.domain ?? deployment}
            </Link>
          )}
          {domain && <span className="soft small clip">{deployment}</span>}
          {password && <Lock size={13} className="soft" role="img" aria-label="Password-protected" />}
          <Chips labels={labels} />
        </p>
        <p className="small soft">
          <span className="clip">
            {isDeleting ? 'Deleting' : sizeText({ files: site.files, bytes: site.size })} · via {VIA[via] ?? via} ·{' '}
            <Moment at={created * 1_000} />
          </span>
          {site.expires !== undefined && <Expiry expires={site.expires} />}
          {site.takenDown && (
            <Tag tone="warn" title={site.takenDown.reason ?? 'The operator gave no reason'}>
              taken down
            </Tag>
          )}
        </p>
      </div>
      {!isDeleting && (
        <div className="card-tools">
          <CopyButton text={url} subject={`link of ${deployment}`} />
          <OpenIcon url={url} subject={deployment} />
          <Menu
            icon={Ellipsis}
            label={`More about ${deployment}`}
            items={[
              { label: 'Labels…', icon: Tags, run: () => onMode('labels') },
              { label: 'Copy id', icon: Copy, run: () => void ask(copy(deployment)) },
              { label: 'Delete…', icon: Trash2, danger: true, run: () => onMode('delete') },
            ]}
          />
        </div>
      )}
    </div>
  );
}

function Expiry({ expires }: { expires: number }) {
  const seconds = expires - Math.floor(useNow(60_000) / 1_000);
  return (
    <Tag tone="warn" title={`Expires ${moment(expires)}`}>
      <Hourglass size={11} aria-hidden />
      {seconds > 0 ? `${remainingText(seconds)} left` : 'expired'}
    </Tag>
  );
}

interface EditLabelsProps {
  site: Deployment;
  onClose: () => void;
  onSave: (site: Deployment) => void;
}

function EditLabels({ site, onClose, onSave }: EditLabelsProps) {
  const { api } = useBackend();
  const { ask } = useNotes();
  const [labels, setLabels] = useState<string[]>(site.labels);
  const { isBusy, run } = useBusy();
  const saveLabels = async () => {
    const saveAnswer = await run(ask(api.labelDeployment({ deployment: site.deployment, labels })));
    if (saveAnswer === null) return;
    onSave(saveAnswer.value);
    onClose();
  };
  return (
    <Form isReady className="site" onSubmit={saveLabels} onKeyDown={(event) => event.key === 'Escape' && onClose()}>
      <div className="site-labels">
        <LabelsField
          label={`Labels of ${site.deployment}`}
          labels={labels}
          onChange={setLabels}
          onSubmit={saveLabels}
          autoFocus
        />
        <Button label="Cancel" small onClick={onClose} />
        <Button label="Save" small type="submit" variant="primary" busy={isBusy} />
      </div>
    </Form>
  );
}
