import { CircleCheck, LoaderCircle } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { CommandOutput } from '../../../shared/contract.ts';
import type { Problem } from '../../../shared/problem.ts';
import { Field } from '../../components/field.tsx';
import { useShell, type WatchSource } from '../../state/shell.ts';
import { domainError } from '../../text/validate.ts';

const DELAY_MS = 300;

/** The server's answer about a name. */
interface Checked {
  name: string;
  validation: CommandOutput<'suggestName'>['validation'];
  problem: Problem | null;
}

/**
 * Chooses the address of a folder to watch. Starts with the domain set for the next drop, if any, else with a suggestion; then the
 * server checks the name while the user types.
 *
 * @returns The name, whether it can be used, and its field.
 */
export function useName({ of, options }: WatchSource) {
  const { commands } = useShell();
  const [typed, setTyped] = useState<string | null>(options?.domain ?? null);
  const [answered, setAnswered] = useState<Checked | null>(null);
  const name = typed ?? answered?.name ?? '';
  const trimmed = name.trim();

  useEffect(() => {
    let isOver = false;
    const suggest = async () => {
      const wanted = typed?.trim();
      const answer = await commands.suggestName({ of, ...(wanted === undefined ? {} : { name: wanted }) });
      if (isOver) return;
      setAnswered(
        answer.ok
          ? { name: wanted ?? answer.value.name, validation: answer.value.validation, problem: null }
          : { name: wanted ?? '', validation: null, problem: answer.problem },
      );
    };
    if (typed?.trim() === '') return;
    const timer = setTimeout(() => void suggest(), typed === null ? 0 : DELAY_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
    // The source never changes while the dialog is open, so it is not a dependency.
  }, [typed, commands]);

  const checked = answered?.name === trimmed ? answered : null;
  const isChecking = checked === null && trimmed !== '';
  const error = errorOf(trimmed, checked);
  const field = (
    <Field
      label="Address"
      value={name}
      autoFocus
      onChange={(event) => setTyped(event.target.value)}
      error={error}
      hint={isChecking ? 'Checking availability…' : hintOf(checked)}
      end={isChecking ? <LoaderCircle size={15} className="turning soft" aria-hidden /> : <Mark checked={checked} />}
    />
  );
  return { name: trimmed, isReady: error === null && trimmed !== '', field };
}

function errorOf(name: string, checked: Checked | null): string | null {
  const error = name === '' ? null : domainError(name);
  if (error !== null || !checked?.validation) return error;
  const { valid, available, reason } = checked.validation;
  return valid && available ? null : (reason ?? 'This name is taken.');
}

function hintOf(checked: Checked | null): string {
  if (checked?.problem) return `Availability could not be checked. ${checked.problem.message}`;
  if (!checked?.validation?.available) return 'A platform domain or a custom domain.';
  return `${checked.validation.normalized ?? 'This name'} is available.`;
}

function Mark({ checked }: { checked: Checked | null }) {
  const isFree = checked?.validation?.valid && checked.validation.available;
  return isFree ? <CircleCheck size={15} className="mark-good" aria-hidden /> : null;
}
