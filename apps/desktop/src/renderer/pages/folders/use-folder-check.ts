import { useEffect, useState } from 'react';
import type { Problem } from '../../../shared/problem.ts';
import type { FolderQuestion } from '../../../shared/publishing.ts';
import { useShell, type WatchSource } from '../../state/shell.ts';

/** A folder that is to be watched, and whether it is the right one. */
export interface FolderCheck {
  /** The folder, or the one that was chosen instead. */
  source: WatchSource;
  isChecking: boolean;
  /** What has to be answered first. */
  question: FolderQuestion | null;
  /** What answers the question about this very folder. */
  sure: string | undefined;
  /** Why it could not be checked. */
  problem: Problem | null;
  choose(suggestion: FolderQuestion['suggestions'][number]): void;
  confirm(): void;
  /** The app asked after all: the folder has changed. */
  ask(question: FolderQuestion): void;
  retry(): void;
}

/** Asks the app whether a folder is likely the one that is meant. */
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
