import { Button } from '@berth/ui/components/button';
import { ProgressBar } from '@berth/ui/components/meter';
import { useNow } from '@berth/ui/state/clock';
import { progressText } from '@berth/ui/text/progress';
import { blockingProblem } from '../../shared/blocking-problem.ts';
import type { WatchedFolder } from '../../shared/folder.ts';
import type { Progress } from '../../shared/progress.ts';
import type { Publishing } from '../../shared/publishing.ts';
import { useAppState } from '../state/store.ts';

/** How many jobs the window shows; it counts the others. */
const MAX_SHOWN = 3;

/** One publish job or watched folder that runs, or needs the user. */
interface Job {
  id: string;
  name: string;
  page: 'publish' | 'folders';
  /** The progress of a running job; otherwise what the job waits for. */
  state: Progress | string;
  needsUser: boolean;
}

interface RunningJobsProps {
  /** Shows the card of a job in the main window. */
  onShow: (page: Job['page'], id: string) => void;
}

/** Lists what is being published, and what needs the user, which comes first. */
export function RunningJobs({ onShow }: RunningJobsProps) {
  const publishings = useAppState('publishings');
  const folders = useAppState('folders');
  const jobs = [...publishings.flatMap(jobOf), ...folders.flatMap(jobOfFolder)].toSorted(
    (one, other) => Number(other.needsUser) - Number(one.needsUser),
  );
  if (jobs.length === 0) return null;
  const hiddenCount = jobs.length - MAX_SHOWN;
  return (
    <section>
      <h2>In progress</h2>
      <ul>
        {jobs.slice(0, MAX_SHOWN).map((job) => (
          <li key={job.id} className="drop-window-row">
            <JobText job={job} />
            {job.needsUser && (
              <Button label="Show" small aria-label={`Show ${job.name}`} onClick={() => onShow(job.page, job.id)} />
            )}
          </li>
        ))}
      </ul>
      {hiddenCount > 0 && <p className="small soft">{`and ${hiddenCount} more`}</p>}
    </section>
  );
}

function JobText({ job: { name, state } }: { job: Job }) {
  const now = useNow(1_000);
  if (typeof state === 'string')
    return (
      <div>
        <p className="drop-window-name clip">{name}</p>
        <p className="small soft clip">{state}</p>
      </div>
    );
  const { doing, detail, part, isWaiting } = progressText(state, now);
  return (
    <div>
      <p className="drop-window-name clip">{name}</p>
      <p className="small soft clip">
        {doing}
        {detail === '' ? '…' : ` · ${detail}`}
      </p>
      <ProgressBar part={part} isWaiting={isWaiting} label={`${name}: ${doing}`} />
    </div>
  );
}

function jobOf({ id, name, state }: Publishing): Job[] {
  const job = (jobState: Job['state'], needsUser = false): Job[] => [
    { id, name, page: 'publish', state: jobState, needsUser },
  ];
  switch (state.is) {
    case 'asking':
      return job('Needs an answer', true);
    case 'failed':
      return job(state.problem.message, true);
    case 'queued':
      return job('Queued');
    case 'building':
      return job('Building…');
    case 'working':
      return job(state.progress);
    default:
      return [];
  }
}

function jobOfFolder({ id, name, state }: WatchedFolder): Job[] {
  const problem = blockingProblem(state);
  if (problem !== null) return [{ id, name, page: 'folders', state: problem.message, needsUser: true }];
  return state.is === 'publishing' ? [{ id, name, page: 'folders', state: state.progress, needsUser: false }] : [];
}
