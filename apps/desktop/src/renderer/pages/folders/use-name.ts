import { useEffect, useState } from 'react';
import type { CommandOutput } from '../../../shared/contract.ts';
import type { Problem } from '../../../shared/problem.ts';
import { useShell, type WatchSource } from '../../state/shell.ts';

const QUIET_MS = 300;

type Validation = CommandOutput<'suggestName'>['validation'];

/** A name that is being chosen: suggested at first, and looked up as it is typed. */
export interface ChosenName {
  name: string;
  setName(name: string): void;
  /** Whether it is being looked up. */
  isAsking: boolean;
  /** What the server said of this very name; `null` when it has not. */
  validation: Validation;
  /** Why the server could not be asked about this very name. */
  problem: Problem | null;
}

/** Chooses the name of a folder that is to be watched. It starts with the domain of the next drop, where one is set. */
export function useName({ of, options }: WatchSource): ChosenName {
  const { desktop } = useShell();
  const [typed, setTyped] = useState<string | null>(options?.domain ?? null);
  const [answered, setAnswered] = useState<Pick<ChosenName, 'name' | 'validation' | 'problem'> | null>(null);
  const name = typed ?? answered?.name ?? '';

  useEffect(() => {
    let isOver = false;
    const ask = async () => {
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
    const timer = setTimeout(() => void ask(), typed === null ? 0 : QUIET_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
    // The source is the same as long as the dialog is open.
  }, [typed, desktop]);

  const isAnswered = answered !== null && answered.name === name.trim();
  return {
    name,
    setName: setTyped,
    isAsking: !isAnswered && name.trim() !== '',
    validation: isAnswered ? answered.validation : null,
    problem: isAnswered ? answered.problem : null,
  };
}
