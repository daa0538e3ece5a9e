import './publishing-card.css';
import { moment } from '@berth/client/amounts';
import * as icons from 'lucide-react';
import { memo } from 'react';
import { Button, IconButton } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { CopyButton, Link, OpenButton, QrButton } from '../../components/link.tsx';
import { ProgressBar } from '../../components/meter.tsx';
import { BuildOutput } from './build-output.tsx';
import { SignInButton } from '../../components/page.tsx';
import { Moment, ProblemText, SkippedFiles } from '../../components/status.tsx';
import type {
  FileWarning,
  PauseReason,
  Progress,
  Published,
  Publishing,
  PublishingState,
  Question,
} from '../../publishing.ts';
import { useAccount } from '../../state/account.ts';
import { useNow } from '../../state/clock.ts';
import { useBusy } from '../../state/requests.ts';
import { questionText, sizeText } from '../../text/files.ts';
import { partOf, pauseText, progressText, sentText } from '../../text/progress.ts';
import { remainingText } from '../../text/time.ts';

/** The icon, its tone and the heading for each state. `null`: the icon of the dropped item, or no heading. */
const HEADINGS: Record<
  PublishingState['is'] | 'expired',
  [icon: icons.LucideIcon | null, tone: string, heading: string | null]
> = {
  asking: [icons.CircleHelp, 'is-warn', 'Is this the right folder?'],
  queued: [icons.Clock, '', 'Queued'],
  building: [icons.Hammer, 'is-busy', 'Building'],
  working: [null, 'is-busy', null],
  paused: [icons.CirclePause, '', 'Paused'],
  published: [icons.CircleCheck, 'is-good', 'Published'],
  expired: [icons.Hourglass, '', 'Expired'],
  failed: [icons.CircleAlert, 'is-bad', 'Not published'],
  cancelled: [icons.CircleOff, '', 'Cancelled'],
};

/** The headings of questions that are not about a wrong folder. */
const ASKING: Partial<Record<Question['about'], string>> = { pasted: 'Publish this?', update: 'Update the site?' };

function askingHeading({ about, build }: Question): string | null {
  return build ? 'Build it first?' : (ASKING[about] ?? HEADINGS.asking[2]);
}

/** The phases in which an upload can be paused. */
const PAUSABLE: ReadonlySet<Progress['phase']> = new Set(['reading', 'sending', 'retrying']);

/** What the buttons of a card do. The promises settle when the window has acted. */
export interface PublishingActions {
  /** Answers a question: publishes the item anyway (`instead: null`), or a suggested folder instead. */
  answer(id: string, instead: string | null): Promise<unknown>;
  /** Updates the site that is published from the folder already, or publishes the folder at a new link. A browser never asks this. */
  update: ((id: string, update: boolean) => Promise<unknown>) | null;
  /** Runs the build command of a project and publishes the result; `null` in a window that cannot build. */
  build: ((id: string) => Promise<unknown>) | null;
  cancel(id: string): void;
  retry(id: string): void;
  dismiss(id: string): void;
  /** Claims an anonymous deployment for the account. */
  claim(id: string): Promise<unknown>;
  /** Signs in to keep an anonymous deployment; `null` in a window whose sign-in page knows nothing of the deployment. */
  keep: ((id: string) => void) | null;
  watch(publishing: Publishing): void;
  /** Pauses an upload; `null` in a window that cannot. */
  pause: ((id: string) => void) | null;
  /** Continues an upload that is paused. */
  resume(publishing: Publishing): void;
}

interface CardProps {
  publishing: Publishing;
  actions: PublishingActions;
}

export const PublishingCard = memo(function PublishingCard({ publishing, actions }: CardProps) {
  const now = useNow();
  const { id, name, kind, begun, state } = publishing;
  const hasExpired = state.is === 'published' && isExpired(state.published, now);
  const [icon, tone, heading] = HEADINGS[hasExpired ? 'expired' : state.is];
  const isActive = state.is === 'working' || state.is === 'building' || state.is === 'queued' || state.is === 'paused';
  const { pause } = actions;
  const canPause = pause !== null && state.is === 'working' && PAUSABLE.has(state.progress.phase);
  const cancel = () => actions.cancel(id);
  const dismiss = () => actions.dismiss(id);
  return (
    <Card
      id={id}
      name={name}
      icon={icon ?? (kind === 'folder' ? icons.Folder : icons.File)}
      tone={tone}
      title={
        <>
          <p className="meta">
            <span className="card-name clip">{name}</span>
            {heading !== null && (
              <span className="soft">{state.is === 'asking' ? askingHeading(state.question) : heading}</span>
            )}
            {!isActive && <Moment at={begun} className="soft" />}
          </p>
          <PublishingBody publishing={publishing} actions={actions} />
        </>
      }
      tools={
        isActive ? (
          <>
            {canPause && <IconButton icon={icons.Pause} label={`Pause ${name}`} onClick={() => pause(id)} />}
            <Button label="Cancel" small onClick={cancel} aria-label={`Cancel ${name}`} />
          </>
        ) : state.is === 'failed' ? null : (
          <IconButton icon={icons.X} label={`Dismiss ${name}`} onClick={dismiss} />
        )
      }
    />
  );
});

function PublishingBody({ publishing, actions }: CardProps) {
  const { id, name, state, leftOut } = publishing;
  const retry = () => actions.retry(id);
  const dismiss = () => actions.dismiss(id);
  switch (state.is) {
    case 'asking':
      return <QuestionBody publishing={publishing} actions={actions} question={state.question} />;
    case 'queued':
      return <p className="soft">Starts when the uploads before it finish.</p>;
    case 'building':
      return <BuildOutput build={publishing.build} isOpen />;
    case 'working':
      return <WorkProgress progress={state.progress} name={name} />;
    case 'paused':
      return <PausedBody publishing={publishing} actions={actions} state={state} />;
    case 'published':
      return <PublishedBody publishing={publishing} actions={actions} published={state.published} />;
    case 'failed':
      return (
        <div className="card-body">
          <ProblemText problem={state.problem} />
          <BuildOutput build={publishing.build} />
          <SkippedFiles leftOut={leftOut} />
          <div className="card-actions">
            <Button label="Try again" small variant="primary" onClick={retry} />
            <Button label="Dismiss" small aria-label={`Dismiss ${name}`} onClick={dismiss} />
          </div>
        </div>
      );
    case 'cancelled':
      return (
        <div className="card-body">
          <p className="soft">Nothing was published.</p>
          <div className="card-actions">
            <Button label="Publish" small onClick={retry} />
          </div>
        </div>
      );
  }
}

function WorkProgress({ progress, name }: { progress: Progress; name: string }) {
  const now = useNow(1_000);
  const { doing, detail, part } = progressText(progress, now);
  return (
    <div className="work">
      <p className="work-text">
        <span>{doing}…</span>
        <span className="soft">{detail}</span>
      </p>
      <ProgressBar part={part} label={`${name}: ${doing}`} />
    </div>
  );
}

/** What continues an upload; `null` if the user need not do anything. */
const CONTINUE: Record<PauseReason, string | null> = {
  asked: 'Continue',
  offline: null,
  permission: 'Continue',
  'choose-again': 'Choose folder again',
};

function PausedBody({
  publishing,
  actions,
  state: { why, sent },
}: CardProps & { state: Extract<PublishingState, { is: 'paused' }> }) {
  const { name } = publishing;
  const label = CONTINUE[why];
  return (
    <div className="card-body">
      <div className="work">
        <p className="work-text">
          <span>{pauseText(why)}</span>
          {sent && <span className="soft">{sentText(sent)}</span>}
        </p>
        {sent && <ProgressBar part={partOf(sent.done, sent.total)} label={`${name}: paused`} />}
      </div>
      {label !== null && (
        <div className="card-actions">
          <Button label={label} small variant="primary" onClick={() => actions.resume(publishing)} />
        </div>
      )}
    </div>
  );
}

function QuestionBody({ publishing: { id, name }, actions, question }: CardProps & { question: Question }) {
  const { isBusy, run } = useBusy();
  const { about, suggestions, build } = question;
  const answer = (instead: string | null) => run(actions.answer(id, instead));
  const dismiss = () => actions.dismiss(id);
  const isPasted = about === 'pasted';
  if (about === 'update') return <UpdateQuestion id={id} actions={actions} question={question} />;
  return (
    <div className="card-body">
      <p>{questionText(question)}</p>
      <div className="suggestion">
        {build && actions.build && (
          <Button
            label="Build and publish"
            small
            variant="primary"
            icon={icons.Hammer}
            title={build.command}
            disabled={isBusy}
            onClick={() => run(actions.build!(id))}
          />
        )}
        {suggestions.map((suggestion, index) => (
          <Button
            key={suggestion.grant}
            label={`Publish ${suggestion.name}`}
            small
            variant={index === 0 && !build ? 'primary' : 'plain'}
            icon={icons.FolderOpen}
            disabled={isBusy}
            onClick={() => answer(suggestion.grant)}
          />
        ))}
        <Button
          label={isPasted ? 'Publish' : 'Publish anyway'}
          small
          variant={isPasted ? 'primary' : about === 'personal' ? 'danger' : 'plain'}
          disabled={isBusy}
          onClick={() => answer(null)}
          aria-label={isPasted ? `Publish ${name}` : `Publish ${name} anyway`}
        />
        <Button label="Don’t publish" small variant="quiet" onClick={dismiss} />
      </div>
    </div>
  );
}

function UpdateQuestion({ id, actions, question }: { id: string; actions: PublishingActions; question: Question }) {
  const { isBusy, run } = useBusy();
  const answer = (update: boolean) => run(actions.update?.(id, update));
  return (
    <div className="card-body">
      <p>{questionText(question)}</p>
      <div className="suggestion">
        <Button
          label={`Update ${question.site}`}
          small
          variant="primary"
          icon={icons.RefreshCw}
          disabled={isBusy}
          onClick={() => answer(true)}
        />
        <Button label="New link" small disabled={isBusy} onClick={() => answer(false)} />
        <Button label="Don’t publish" small variant="quiet" onClick={() => actions.dismiss(id)} />
      </div>
    </div>
  );
}

/** Returns whether an anonymous deployment has expired. @param now Unix milliseconds. */
function isExpired({ expires }: Published, now: number): boolean {
  return expires !== null && expires * 1_000 <= now;
}

function PublishedBody({ publishing, actions, published }: CardProps & { published: Published }) {
  const { hasAccess } = useAccount();
  const hasExpired = isExpired(published, useNow());
  const { id, watchable, leftOut } = publishing;
  const { url, password, copied, expires } = published;
  return (
    <div className="card-body">
      <div>
        {hasExpired ? (
          <p className="publishing-link clip soft">{url.replace(/^https?:\/\//, '')}</p>
        ) : (
          <Link url={url} className="publishing-link clip" />
        )}
        <p className="meta soft">
          <span>{sizeText(published)}</span>
          {password && (
            <span>
              <icons.Lock size={12} aria-hidden /> Password-protected
            </span>
          )}
          {copied && !hasExpired && (
            <span className="meta-good">
              <icons.Check size={13} aria-hidden /> Link copied
            </span>
          )}
        </p>
      </div>
      {!hasExpired && (
        <div className="card-actions">
          <OpenButton url={url} />
          <CopyButton text={url} subject="link" label="Copy" />
          <QrButton url={url} />
          {watchable && hasAccess && (
            <Button
              label="Watch this folder…"
              small
              icon={icons.FolderSync}
              onClick={() => actions.watch(publishing)}
            />
          )}
        </div>
      )}
      {expires !== null && <ClaimCallout id={id} claim={published.claim} expires={expires} actions={actions} />}
      <SkippedFiles leftOut={leftOut} />
      <Warnings warnings={published.notices} />
    </div>
  );
}

/** A site that expires within this time needs attention. */
const URGENT_SECONDS = 86_400;

/** Says when an anonymous deployment expires, and how to claim the deployment. @param expires Unix seconds. */
function ClaimCallout({
  id,
  claim,
  expires,
  actions,
}: Pick<Published, 'claim'> & { id: string; expires: number; actions: PublishingActions }) {
  const { hasAccess } = useAccount();
  const { isBusy, run } = useBusy();
  const { keep } = actions;
  const seconds = expires - Math.floor(useNow() / 1_000);
  const claimAdvice = hasAccess ? 'Claim the site to keep it.' : 'Sign in to keep the site.';
  if (seconds <= 0)
    return (
      <div className="callout is-calm">
        <icons.Hourglass size={15} aria-hidden />
        <p title={moment(expires)}>This link has expired. Drop the folder again to get a new link.</p>
      </div>
    );
  return (
    <div className={seconds < URGENT_SECONDS ? 'callout' : 'callout is-calm'}>
      <icons.Hourglass size={15} aria-hidden />
      <p title={`Expires ${moment(expires)}`}>
        Expires in {remainingText(seconds)}.{claim !== null && ` ${claimAdvice}`}
      </p>
      {claim !== null && (
        <span className="card-actions">
          {hasAccess ? (
            <Button label="Claim it" small variant="primary" busy={isBusy} onClick={() => run(actions.claim(id))} />
          ) : keep === null ? (
            <SignInButton small />
          ) : (
            <Button label="Sign in to keep it" small variant="primary" onClick={() => keep(id)} />
          )}
          <CopyButton text={claim} subject="claim link" label="Copy claim link" />
        </span>
      )}
    </div>
  );
}

function Warnings({ warnings }: { warnings: readonly FileWarning[] }) {
  if (warnings.length === 0) return null;
  return (
    <ul className="file-list small" aria-label="Warnings">
      {warnings.map(({ file, line, message }) => (
        <li key={`${file}:${line}:${message}`}>
          <icons.Info size={14} aria-hidden />
          <span className="selectable">
            <code>{line === null ? file : `${file}:${line}`}</code> {message}
          </span>
        </li>
      ))}
    </ul>
  );
}
