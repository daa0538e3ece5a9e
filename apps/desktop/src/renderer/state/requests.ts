import { type DependencyList, useCallback, useEffect, useRef, useState } from 'react';
import type { Answer } from '../../shared/contract.ts';
import type { Problem } from '../../shared/problem.ts';

/** Runs one piece of work at a time. @returns Whether it is running, and a function that waits for it. */
export function useBusy() {
  const [isBusy, setBusy] = useState(false);
  const run = async <T>(work: T): Promise<Awaited<T>> => {
    setBusy(true);
    const result = await work;
    setBusy(false);
    return result;
  };
  return { isBusy, run };
}

/** The command that a form sends: whether it has not been answered yet, and why it failed last. */
export type Submit = ReturnType<typeof useSubmit>;

/** Sends the command of a form. `submit` awaits its answer and returns the value; `null` after a problem. */
export function useSubmit() {
  const [problem, setProblem] = useState<Problem | null>(null);
  const { isBusy, run } = useBusy();
  const submit = async <T>(command: Promise<Answer<T>>): Promise<{ value: T } | null> => {
    setProblem(null);
    const answer = await run(command);
    if (answer.ok) return answer;
    setProblem(answer.problem);
    return null;
  };
  return { isBusy, problem, submit };
}

/**
 * Reads a value from the app, again whenever a dependency changes.
 *
 * @returns The latest value; `null` until there is one. Why the last read failed. `read` tries again, and `fail` shows another problem.
 */
export function useAnswer<T>(request: () => Promise<Answer<T>>, dependencies: DependencyList) {
  const [value, setValue] = useState<T | null>(null);
  const [problem, fail] = useState<Problem | null>(null);
  // The number of the latest request: answers to earlier ones are stale and ignored.
  const latest = useRef(0);
  const read = useCallback(async () => {
    const number = ++latest.current;
    fail(null);
    const answer = await request();
    if (number !== latest.current) return;
    if (answer.ok) setValue(answer.value);
    else fail(answer.problem);
  }, dependencies);
  useEffect(() => void read(), [read]);
  return { value, problem, read, fail };
}
