import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useShell } from '../state/shell.ts';
import { Button, IconButton } from './button.tsx';

const SHOWN_MS = 2_000;

interface CopyProps {
  text: string;
  /** Noun for the button's name, such as `link`. */
  what: string;
}

/** Copies a text to the clipboard, then shows “Copied” for a moment. */
export function CopyButton({ text, what, label = 'Copy' }: CopyProps & { label?: string }) {
  const { isCopied, copy } = useCopy(text);
  return (
    <Button
      small
      icon={isCopied ? Check : Copy}
      onClick={copy}
      aria-label={isCopied ? `Copied ${what}` : `${label} ${what}`}
    >
      {isCopied ? 'Copied' : label}
    </Button>
  );
}

/** {@link CopyButton} as an icon. */
export function CopyIcon({ text, what }: CopyProps) {
  const { isCopied, copy } = useCopy(text);
  return (
    <IconButton
      icon={isCopied ? Check : Copy}
      label={isCopied ? `Copied ${what}` : `Copy ${what}`}
      className={isCopied ? 'is-good' : ''}
      onClick={copy}
    />
  );
}

function useCopy(text: string) {
  const { desktop, ask } = useShell();
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async () => {
    if (await ask(desktop.commands.copy({ text }))) setCopied(true);
  };
  return { isCopied, copy };
}
