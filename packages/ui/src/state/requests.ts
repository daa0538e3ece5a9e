import { type DependencyList, useCallback, useEffect, useRef, useState } from 'react';
import type { Answer, Problem } from '../backend.ts';

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

export type Submit = ReturnType<typeof useSubmit>;

/** Holds the state of a form's command. `submit` awaits the answer and returns its value; `null` after a problem. */
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

/** Reads a value from the app, and reads it again whenever a dependency changes. `read` tries again, and `fail` sets the problem. */
export function useAnswer<T>(request: () => Promise<Answer<T>>, dependencies: DependencyList) {
  const [value, setValue] = useState<T | null>(null);
  const [problem, fail] = useState<Problem | null>(null);
  // The number of the latest request. Answers to earlier requests are stale and ignored.
  const latestNumber = useRef(0);
  const read = useCallback(async () => {
    const requestNumber = ++latestNumber.current;
    fail(null);
    const answer = await request();
    if (requestNumber !== latestNumber.current) return;
    if (answer.ok) setValue(answer.value);
    else fail(answer.problem);
  }, dependencies);
  useEffect(() => void read(), [read]);
  return { value, problem, read, fail };
}
