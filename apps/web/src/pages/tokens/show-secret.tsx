import type { CreatedToken } from '@berth/contract';
import { Button } from '@berth/ui/components/button';
import { Dialog, useFirstFocus } from '@berth/ui/components/dialog';
import { CopyButton } from '@berth/ui/components/link';
import { Download } from 'lucide-react';

/** Shows the secret of a new token, which the server never returns again. It is only in this component. */
export function ShowSecret({ token: { token, kind, secret }, onClose }: { token: CreatedToken; onClose: () => void }) {
  const doneButton = useFirstFocus();
  const download = () => {
    const url = URL.createObjectURL(new Blob([`${secret}\n`], { type: 'text/plain' }));
    const link = Object.assign(document.createElement('a'), { href: url, download: `berth-${kind}-${token}.txt` });
    link.click();
    URL.revokeObjectURL(url);
  };
  return (
    <Dialog title={kind === 'api' ? 'Your new API key' : 'Your new deploy token'} onClose={onClose}>
      <div className="dialog-body">
        <p>Copy it now. It is shown only once.</p>
        <div className="secret">
          <code className="selectable">{secret}</code>
        </div>
        <div className="dialog-foot">
          <CopyButton text={secret} subject="the token" label="Copy" />
          <Button label="Download" small icon={Download} onClick={download} />
          <Button label="Done" variant="primary" ref={doneButton} onClick={onClose} />
        </div>
      </div>
    </Dialog>
  );
}
