import { Button, IconButton } from '@berth/ui/components/button';
import { Dialog } from '@berth/ui/components/dialog';
import { Field } from '@berth/ui/components/field';
import { Form } from '@berth/ui/components/form';
import { useBusy } from '@berth/ui/state/requests';
import { questionText } from '@berth/ui/text/files';
import { domainError } from '@berth/ui/text/validate';
import { count } from '@berth/client/amounts';
import { X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { type Shell, useShell, type WatchSource } from '../../state/shell.ts';

/** One of the folders, and what is known about it. */
interface Candidate {
  source: WatchSource;
  /** The address. It is empty until the server has suggested one. */
  domain: string;
  /** Why the folder is watched only after a question; `null` if there is none. */
  reason: string | null;
}

export interface WatchManyProps {
  sources: readonly WatchSource[];
  onClose: () => void;
  /** Called with the folders that need a dialog of their own, because of a question or a problem. */
  onRest: (sources: readonly WatchSource[]) => void;
}

/** Watches several folders at once, each at its own address. Folders with a question are asked about afterwards, one by one. */
export function WatchManyDialog({ sources, onClose, onRest }: WatchManyProps) {
  const shell = useShell();
  const { isBusy, run } = useBusy();
  const [candidates, setCandidates] = useState<readonly Candidate[] | null>(null);
  useEffect(() => {
    let isCurrent = true;
    void inspect(shell, sources).then((found) => isCurrent && setCandidates(found));
    return () => {
      isCurrent = false;
    };
    // The folders never change while the dialog is open.
  }, []);
  const change = (changed: Candidate, domain: string) =>
    setCandidates((before) => before!.map((each) => (each === changed ? { ...each, domain } : each)));
  const leaveOut = (left: Candidate) => setCandidates((before) => before!.filter((each) => each !== left));

  const ready = candidates?.filter(({ reason }) => reason === null) ?? [];
  const isReady = candidates !== null && candidates.length > 0 && ready.every(({ domain }) => errorOf(domain) === null);
  const watchAll = async () => {
    const asking = candidates!.filter(({ reason }) => reason !== null).map(({ source }) => source);
    const failed = await run(watchEach(shell, ready));
    onClose();
    if (ready.length > failed.length) shell.navigate({ page: 'folders' });
    onRest([...failed, ...asking]);
  };
  return (
    <Dialog title={`Watch ${sources.length} folders`} onClose={onClose}>
      <Form className="dialog-body" isReady={isReady && !isBusy} onSubmit={watchAll}>
        <p className="soft">Each is published now and whenever it changes, always at its address.</p>
        {candidates === null && <p className="soft">Checking the folders…</p>}
        {candidates?.map((candidate, index) => (
          <CandidateRow
            key={keyOf(candidate.source)}
            candidate={candidate}
            isFirst={index === 0}
            onDomain={(domain) => change(candidate, domain)}
            onLeaveOut={() => leaveOut(candidate)}
          />
        ))}
        <div className="dialog-foot">
          <Button label="Cancel" onClick={onClose} />
          <Button
            label={ready.length === 0 ? 'Continue' : `Watch and publish ${count(ready.length, 'folder')}`}
            type="submit"
            variant="primary"
            busy={isBusy}
            disabled={!isReady}
          />
        </div>
      </Form>
    </Dialog>
  );
}

interface CandidateRowProps {
  candidate: Candidate;
  isFirst: boolean;
  onDomain: (domain: string) => void;
  onLeaveOut: () => void;
}

function CandidateRow({ candidate, isFirst, onDomain, onLeaveOut }: CandidateRowProps) {
  const { source, domain, reason } = candidate;
  const remove = <IconButton icon={X} label={`Leave out ${source.name}`} className="in-field" onClick={onLeaveOut} />;
  if (reason === null)
    return (
      <Field
        label={source.name}
        value={domain}
        autoFocus={isFirst}
        error={errorOf(domain)}
        onText={onDomain}
        trailing={remove}
      />
    );
  return (
    <div className="watch-later">
      <div>
        <p className="name">{source.name}</p>
        <p className="small soft">{reason} Berth asks about it next.</p>
      </div>
      {remove}
    </div>
  );
}

const keyOf = ({ of }: WatchSource): string => ('grant' in of ? of.grant : of.publishing);

function errorOf(domain: string): string | null {
  return domain.trim() === '' ? 'Enter an address.' : domainError(domain.trim());
}

/** Checks each folder, and asks the server for addresses. */
async function inspect({ commands }: Shell, sources: readonly WatchSource[]): Promise<Candidate[]> {
  const candidates = await Promise.all(
    sources.map(async (source): Promise<Candidate> => {
      const { of, options } = source;
      const [checked, suggested] = await Promise.all([
        commands.checkFolder({ of }),
        options?.domain === undefined ? commands.suggestName({ of }) : null,
      ]);
      const domain = options?.domain ?? (suggested?.ok ? suggested.value.name : '');
      if (!checked.ok) return { source, domain, reason: checked.problem.message };
      const { question } = checked.value;
      return { source, domain, reason: question === null ? null : questionText({ ...question, build: undefined }) };
    }),
  );
  return withDistinctNames(candidates);
}

/** Numbers equal names, such as `docs` and `docs-2`, because an address shows only one folder. */
function withDistinctNames(candidates: readonly Candidate[]): Candidate[] {
  const taken = new Set<string>();
  return candidates.map((candidate) => {
    const { domain } = candidate;
    let name = domain;
    for (let number = 2; domain !== '' && taken.has(name); number += 1) name = `${domain}-${number}`;
    taken.add(name);
    return { ...candidate, domain: name };
  });
}

/** Watches the folders one after the other. @returns Those that need a dialog of their own. */
async function watchEach({ commands, ask }: Shell, candidates: readonly Candidate[]): Promise<WatchSource[]> {
  const rest: WatchSource[] = [];
  for (const { source, domain } of candidates) {
    const { of, options } = source;
    const watched = await ask(
      commands.watch({ of, domain: domain.trim(), labels: options?.labels ?? [], password: options?.password }),
    );
    if (watched?.value.is !== 'watched') rest.push(source);
  }
  return rest;
}
