import { useState } from 'react';
import type { FolderQuestion, Given } from '../../../shared/publishing.ts';
import { Dialog } from '../../components/dialog.tsx';
import { useShell } from '../../state/shell.ts';
import { FolderQuestionBody } from './folder-question.tsx';

type Candidate = Pick<Given, 'grant' | 'name'>;

/** Points a watched folder at its new location. @returns `locate` to start, `isBusy`, and the dialog of a question, if any. */
export function useLocate(id: string) {
  const { desktop, ask } = useShell();
  const { commands } = desktop;
  const [isBusy, setBusy] = useState(false);
  const [asked, setAsked] = useState<{ candidate: Candidate; question: FolderQuestion } | null>(null);

  const take = async (candidate: Candidate, sure?: string) => {
    setBusy(true);
    const { grant } = candidate;
    const located = await ask(commands.locateFolder(sure === undefined ? { id, grant } : { id, grant, sure }));
    setBusy(false);
    setAsked(located?.value.is === 'asking' ? { candidate, question: located.value.question } : null);
  };
  const locate = async () => {
    const picked = await ask(commands.pickFolder());
    if (picked?.value) await take(picked.value);
  };
  const dialog = asked && (
    <Dialog title={`Use ${asked.candidate.name}?`} onClose={() => setAsked(null)}>
      <FolderQuestionBody
        // A new key for each folder: the question mounts again, and its safest answer gets the focus.
        key={asked.candidate.grant}
        question={asked.question}
        anyway="Use it anyway"
        isBusy={isBusy}
        onSuggestion={({ grant, name }) => void take({ grant, name: `${asked.candidate.name}/${name}` })}
        onAnyway={() => void take(asked.candidate, asked.question.anyway)}
        onCancel={() => setAsked(null)}
      />
    </Dialog>
  );
  return { locate, isBusy, dialog };
}
