import { useEffect, useState } from 'react';
import type { Problem } from '../../../shared/problem.ts';
import type { FolderQuestion } from '../../../shared/publishing.ts';
import { useShell, type WatchSource } from '../../state/shell.ts';

/** A folder to watch, and the state of the check whether it is the right one. */
export interface FolderCheck {
  /** The given folder, or the suggested one that was chosen instead. */
  source: WatchSource;
  isChecking: boolean;
  /** Must be answered before the folder is watched. */
  question: FolderQuestion | null;
  /** Confirms this folder to the app after its question was answered with “anyway”. */
  sure: string | undefined;
  /** Why the check failed. */
  problem: Problem | null;
  choose(suggestion: FolderQuestion['suggestions'][number]): void;
  confirm(): void;
  /** Shows a question that the app asks later, because the folder has changed since the check. */
  ask(question: FolderQuestion): void;
  retry(): void;
}

/** Asks the app to check that a folder is likely the intended one, and tracks the answers. */
export function useFolderCheck(given: WatchSource): FolderCheck {
  const { desktop } = useShell();
  const [source, setSource] = useState(given);
  const [attempt, setAttempt] = useState(0);
  const [isChecking, setChecking] = useState(true);
  const [question, setQuestion] = useState<FolderQuestion | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [sure, setSure] = useState<string>();

  useEffect(() => {
    let isOver = false;
    setChecking(true);
    setProblem(null);
    void desktop.commands.checkFolder({ of: source.of }).then((answer) => {
      if (isOver) return;
      setChecking(false);
      if (answer.ok) setQuestion(answer.value.question);
      else setProblem(answer.problem);
    });
    return () => {
      isOver = true;
    };
  }, [desktop, source, attempt]);

  return {
    source,
    isChecking,
    question,
    sure,
    problem,
    choose({ grant, name }) {
      setChecking(true);
      setQuestion(null);
      setSure(undefined);
      setSource({ ...source, name: `${source.name}/${name}`, of: { grant } });
    },
    confirm() {
      setSure(question?.anyway);
      setQuestion(null);
    },
    ask: setQuestion,
    retry: () => setAttempt((before) => before + 1),
  };
}
