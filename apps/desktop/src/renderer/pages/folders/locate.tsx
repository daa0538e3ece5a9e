import { useState } from 'react';
import type { FolderQuestion, Given } from '../../../shared/publishing.ts';
import { Dialog } from '../../components/dialog.tsx';
import { useShell } from '../../state/shell.ts';
import { FolderQuestionBody } from './folder-question.tsx';

type Place = Pick<Given, 'grant' | 'name'>;

/** Says where a watched folder is that was moved. @returns what starts it, whether it is at work, and the question it may ask. */
export function useLocate(id: string) {
  const { desktop, ask } = useShell();
  const { commands } = desktop;
  const [isBusy, setBusy] = useState(false);
  const [asked, setAsked] = useState<{ place: Place; question: FolderQuestion } | null>(null);

  const take = async (place: Place, sure?: string) => {
    setBusy(true);
    const { grant } = place;
    const located = await ask(commands.locateFolder(sure === undefined ? { id, grant } : { id, grant, sure }));
    setBusy(false);
    setAsked(located?.value.is === 'asking' ? { place, question: located.value.question } : null);
  };
  const locate = async () => {
    const picked = await ask(commands.pickFolder());
    if (picked?.value) await take(picked.value);
  };
  const dialog = asked && (
    <Dialog title={`Use ${asked.place.name}?`} onClose={() => setAsked(null)}>
      <FolderQuestionBody
        // Another folder is another question, and its safest answer takes the focus.
        key={asked.place.grant}
        question={asked.question}
        anyway="Use it anyway"
        isBusy={isBusy}
        onSuggestion={({ grant, name }) => void take({ grant, name: `${asked.place.name}/${name}` })}
        onAnyway={() => void take(asked.place, asked.question.anyway)}
        onCancel={() => setAsked(null)}
      />
    </Dialog>
  );
  return { locate, isBusy, dialog };
}
