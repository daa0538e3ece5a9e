import { useState } from 'react';
import type { Answer } from '../../shared/contract.ts';
import type { Problem } from '../../shared/problem.ts';

/** A form that sends a command. */
export interface Submit {
  /** Awaits the answer of the command. @returns The value; `null` after a problem. */
  submit<T>(command: Promise<Answer<T>>): Promise<{ value: T } | null>;
  /** Whether a command has not been answered yet. */
  isBusy: boolean;
  /** Why the last command failed. */
  problem: Problem | null;
}

export function useSubmit(): Submit {
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isBusy, setBusy] = useState(false);
  return {
    isBusy,
    problem,
    async submit(command) {
      setBusy(true);
      setProblem(null);
      const answer = await command;
      setBusy(false);
      if (answer.ok) return { value: answer.value };
      setProblem(answer.problem);
      return null;
    },
  };
}
