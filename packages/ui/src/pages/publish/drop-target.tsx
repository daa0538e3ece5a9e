import './drop-target.css';
import { Send } from 'lucide-react';
import type { ReactNode } from 'react';

interface DropTargetProps {
  /** True if the page has nothing else to show. */
  isBig: boolean;
  text: string;
  /** The buttons that publish something without a pointer. */
  children: ReactNode;
}

/** Invites the user to drop files anywhere in the window. */
export function DropTarget({ isBig, text, children }: DropTargetProps) {
  return (
    <section className={isBig ? 'drop-target is-big' : 'drop-target'} aria-label="Publish something">
      <Send size={isBig ? 30 : 20} strokeWidth={1.6} aria-hidden />
      <div className="drop-target-text">
        <h2>{isBig ? 'Drop a folder, get a link' : 'Drop a folder or files anywhere'}</h2>
        <p className="soft">{text}</p>
      </div>
      <div className="drop-target-buttons">{children}</div>
    </section>
  );
}
