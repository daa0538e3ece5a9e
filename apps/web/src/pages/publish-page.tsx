import { Button } from '@berth/ui/components/button';
import { PageFrame } from '@berth/ui/components/page';
import { DropTarget } from '@berth/ui/pages/publish/drop-target';
import { PublishingList } from '@berth/ui/pages/publish/publishing-list';
import type { PublishingActions } from '@berth/ui/publishing';
import { useAccount } from '@berth/ui/state/account';
import { useNotes } from '@berth/ui/state/toasts';
import { Files, FolderOpen } from 'lucide-react';
import { type ChangeEvent, lazy, Suspense, useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import { useLocation } from 'wouter';
import { answerOf } from '../account/answers.ts';
import { client } from '../backend.ts';
import { useDrops } from '../drop/drops-context.tsx';
import { gatherFiles } from '../drop/gather.ts';
import { signInPath } from '../sign-in/return-path.ts';

/** Only people who are signed in have options. */
const Options = lazy(() => import('@berth/ui/pages/publish/options').then(({ Options }) => ({ default: Options })));

/** Takes a folder, files or an archive, and shows what happens to each until it has a link. */
export default function PublishPage() {
  const { drops, publish } = useDrops();
  const publishings = useSyncExternalStore(drops.subscribe, drops.get);
  const { hasAccess } = useAccount();
  const { ask } = useNotes();
  const [, navigate] = useLocation();
  const folderInput = useRef<HTMLInputElement>(null);
  const filesInput = useRef<HTMLInputElement>(null);
  useEffect(() => folderInput.current!.setAttribute('webkitdirectory', ''), []);

  const choose = ({ target }: ChangeEvent<HTMLInputElement>) => {
    publish(gatherFiles([...(target.files ?? [])]), false);
    // The same folder can be chosen again.
    target.value = '';
  };
  const claimOf = (id: string) => {
    const publishing = drops.get().find((each) => each.id === id);
    return publishing?.state.is === 'published' ? publishing.state.published.claim : null;
  };
  const actions = useMemo(
    (): PublishingActions => ({
      update: null,
      keep(id) {
        const claim = claimOf(id);
        if (claim) navigate(signInPath(new URL(claim).pathname));
      },
      build: null,
      answer: async (id, instead) => drops.answer(id, instead),
      cancel: drops.cancel,
      retry: drops.retry,
      dismiss: drops.dismiss,
      pause: drops.pause,
      resume({ id, state }) {
        if (state.is === 'paused' && state.why === 'choose-again') folderInput.current!.click();
        else void drops.resume(id);
      },
      async claim(id) {
        const claim = claimOf(id);
        if (claim && (await ask(answerOf(client.api.account.claim.mutate({ claim }))))) drops.markClaimed(id);
      },
      watch: () => {},
    }),
    [drops, ask, navigate],
  );

  const isBig = publishings.length === 0;
  const lifetime = hasAccess
    ? 'The link is copied when the site is live.'
    : 'Without an account, a link lasts 3 days, or longer if you keep it.';
  return (
    <PageFrame title="Publish">
      <DropTarget
        isBig={isBig}
        text={`${isBig ? 'A folder, files or a zip archive, anywhere on this page. ' : ''}${lifetime}`}
      >
        <Button
          label="Choose folder"
          variant="primary"
          icon={FolderOpen}
          onClick={() => folderInput.current!.click()}
        />
        <Button label="Choose files" icon={Files} onClick={() => filesInput.current!.click()} />
        <input ref={folderInput} type="file" hidden multiple aria-label="Folder" onChange={choose} />
        <input ref={filesInput} type="file" hidden multiple aria-label="Files" onChange={choose} />
      </DropTarget>
      <Suspense>{hasAccess && <Options />}</Suspense>
      <PublishingList publishings={publishings} actions={actions} />
    </PageFrame>
  );
}
