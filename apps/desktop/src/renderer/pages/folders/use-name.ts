import { useEffect, useState } from 'react';
import type { CommandOutput } from '../../../shared/contract.ts';
import type { Problem } from '../../../shared/problem.ts';
import { useShell, type WatchSource } from '../../state/shell.ts';

const DELAY_MS = 300;

type Validation = CommandOutput<'suggestName'>['validation'];

/** The name that is being chosen: suggested at first, then checked while the user types. */
export interface ChosenName {
  name: string;
  setName(name: string): void;
  /** Whether the check of this name has not been answered yet. */
  isChecking: boolean;
  /** The server's answer for this exact name; `null` without one. */
  validation: Validation;
  /** Why this exact name could not be checked. */
  problem: Problem | null;
}

/** Chooses the name of a folder to watch. Starts with the domain set for the next drop, if any, else with a suggestion. */
export function useName({ of, options }: WatchSource): ChosenName {
  const { desktop } = useShell();
  const [typed, setTyped] = useState<string | null>(options?.domain ?? null);
  const [answered, setAnswered] = useState<Pick<ChosenName, 'name' | 'validation' | 'problem'> | null>(null);
  const name = typed ?? answered?.name ?? '';

  useEffect(() => {
    let isOver = false;
    const suggest = async () => {
      const wanted = typed?.trim();
      const answer = await desktop.commands.suggestName({ of, ...(wanted === undefined ? {} : { name: wanted }) });
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
  }, [typed, desktop]);

  const isAnswered = answered !== null && answered.name === name.trim();
  return {
    name,
    setName: setTyped,
    isChecking: !isAnswered && name.trim() !== '',
    validation: isAnswered ? answered.validation : null,
    problem: isAnswered ? answered.problem : null,
  };
}
