import type { Site } from '@berth/contract';
import { count } from '@berth/client/amounts';
import { useState } from 'react';
import type { Problem } from '../../backend.ts';
import { Button } from '../../components/button.tsx';
import { Dialog, useFirstFocus } from '../../components/dialog.tsx';
import { LabelsField } from '../../components/field.tsx';
import { DialogForm } from '../../components/form.tsx';
import { ProblemBox } from '../../components/status.tsx';
import { useBackend, useSitesApi } from '../../state/backend.ts';
import { useBusy, useSubmit } from '../../state/requests.ts';
import { useNotes } from '../../state/toasts.ts';
import { siteName } from '../../text/site.ts';
import { MAX_LABELS } from '../../text/validate.ts';
import { changeSites, labelSite } from './change-sites.ts';

interface SitesDialogProps {
  /** One site or more. */
  sites: readonly Site[];
  onClose: () => void;
}

/** Asks before sites are deleted, and says what is deleted with them. @param onDeleted Called with the deleted sites. */
export function DeleteSites({ sites, onClose, onDeleted }: SitesDialogProps & { onDeleted: (sites: Site[]) => void }) {
  const api = useSitesApi();
  const { showToast } = useNotes();
  const { isBusy, run } = useBusy();
  const [problem, setProblem] = useState<Problem | null>(null);
  const cancelButton = useFirstFocus();
  const title = sites.length === 1 ? `Delete ${siteName(sites[0]!)}?` : `Delete ${count(sites.length, 'site')}?`;
  const deleteAll = async () => {
    setProblem(null);
    const { changed, problem } = await run(changeSites(sites, ({ site }) => api.deleteSite({ site })));
    if (changed.length > 0) onDeleted(changed);
    if (changed.length > 0)
      showToast(changed.length === 1 ? 'Site deleted.' : `${count(changed.length, 'site')} deleted.`);
    if (problem === null) onClose();
    else setProblem(problem);
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="dialog-body">
        <p>{deletionText(sites)}</p>
        {sites.length > 1 && (
          <ul className="dialog-list">
            {sites.map((site) => (
              <li key={site.site} className="clip">
                {siteName(site)}
                {site.title !== null && <span className="soft"> · {site.site}</span>}
              </li>
            ))}
          </ul>
        )}
        <ProblemBox problem={problem} />
        <div className="dialog-foot">
          <Button label="Cancel" ref={cancelButton} onClick={onClose} />
          <Button label="Delete" variant="danger" busy={isBusy} onClick={deleteAll} />
        </div>
      </div>
    </Dialog>
  );
}

function deletionText(sites: readonly Site[]): string {
  const hasDomain = sites.some(({ domain }) => domain !== null);
  const subject = sites.length === 1 ? 'Its address stops' : 'Their addresses stop';
  const versions = hasDomain ? ' All earlier versions are deleted too, except those that another domain shows.' : '';
  return `${subject} working at once, and the files are deleted.${versions} This cannot be undone.`;
}

/** Edits the labels of a site, or adds labels to several sites. */
export function LabelSites({ sites, onClose, onSaved }: SitesDialogProps & { onSaved: () => void }) {
  const { api } = useBackend();
  const [onlySite, ...others] = sites;
  const isOne = others.length === 0;
  const [labels, setLabels] = useState<string[]>(isOne ? onlySite!.labels : []);
  const request = useSubmit();
  const save = async () => {
    const saved = await request.submit(
      changeSites(sites, (site) =>
        labelSite(api, site, isOne ? labels : [...new Set([...site.labels, ...labels])].slice(0, MAX_LABELS)),
      ).then(({ problem }) => (problem === null ? { ok: true, value: undefined } : { ok: false, problem })),
    );
    if (saved === null) return;
    onSaved();
    onClose();
  };
  return (
    <Dialog
      title={isOne ? `Labels of ${siteName(onlySite!)}` : `Add labels to ${count(sites.length, 'site')}`}
      onClose={onClose}
    >
      <DialogForm
        label="Save"
        isReady={isOne || labels.length > 0}
        request={request}
        onSubmit={save}
        onCancel={onClose}
      >
        <LabelsField labels={labels} onChange={setLabels} onSubmit={save} />
      </DialogForm>
    </Dialog>
  );
}
