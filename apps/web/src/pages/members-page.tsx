import '../sign-in/sign-in.css';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { CreatedInvite, Invite, Member } from '@berth/contract';
import { moment } from '@berth/client/amounts';
import { Button } from '@berth/ui/components/button';
import { Confirm, Dialog } from '@berth/ui/components/dialog';
import { Field } from '@berth/ui/components/field';
import { DialogForm } from '@berth/ui/components/form';
import { CopyButton } from '@berth/ui/components/link';
import { AccountPage } from '@berth/ui/components/page';
import { Row, Section } from '@berth/ui/components/rows';
import { ProblemBox, StatusLine, Tag } from '@berth/ui/components/status';
import { useAccount } from '@berth/ui/state/account';
import { useBackend } from '@berth/ui/state/backend';
import { valueOf } from '@berth/ui/state/query';
import { useSubmit } from '@berth/ui/state/requests';
import { useNotes } from '@berth/ui/state/toasts';
import { UserPlus } from 'lucide-react';
import { useState } from 'react';
import { answerOf } from '../account/answers.ts';
import { client } from '../backend.ts';
import { useProven } from '../sign-in/prove.tsx';
import { useSession } from '../state/session.tsx';

const MEMBERS = 'members';

/** The people who act for the account, and the invitations to it. Only the owner sees what changes them. */
export default function MembersPage() {
  const { session } = useSession();
  const [isInviting, setInviting] = useState(false);
  const { limits } = useAccount();
  const isOwner = session.is === 'signed-in' && session.signedIn.role === 'owner';
  const seats = limits?.caps?.seats;
  const isFull = seats !== undefined && limits !== null && limits.usage.seats >= seats;
  return (
    <AccountPage
      title="Members"
      actions={
        isOwner && (
          <Button
            label="Invite"
            variant="primary"
            icon={UserPlus}
            disabled={isFull}
            onClick={() => setInviting(true)}
          />
        )
      }
    >
      {isOwner && isFull && <StatusLine tone="warn">{fullText(seats)}</StatusLine>}
      {session.is === 'signed-in' && <Members isOwner={isOwner} you={session.email} />}
      {isInviting && <InviteDialog onClose={() => setInviting(false)} />}
    </AccountPage>
  );
}

function fullText(seats: number): string {
  return seats === 1
    ? 'Your plan includes one member, you. To invite others, change your plan.'
    : `All ${seats} seats of your plan are taken. To invite someone, remove a member or change your plan.`;
}

function Members({ isOwner, you }: { isOwner: boolean; you: string }) {
  const { accountKey, limits } = useAccount();
  const { data, error, refetch } = useQuery({ queryKey: [MEMBERS, accountKey], queryFn: readMembers });
  if (error) return <ProblemBox problem={error} onRetry={() => void refetch()} />;
  if (!data) return <p className="page-loading" role="status" aria-label="Loading the members" />;
  const cap = limits?.caps?.seats;
  return (
    <>
      <Section title={cap === undefined ? 'Members' : `Members: ${data.members.length} of ${cap}`}>
        {data.members.map((member) => (
          <MemberRow key={member.member} member={member} canRemove={isOwner} isYou={member.email === you} />
        ))}
      </Section>
      {data.invites.length > 0 && (
        <Section title="Open invitations">
          {data.invites.map((invite) => (
            <InviteRow key={invite.invite} invite={invite} canDelete={isOwner} />
          ))}
        </Section>
      )}
      <p className="soft small">
        Members publish, change and delete sites, and make keys. Only the owner invites and removes members.
      </p>
    </>
  );
}

async function readMembers(): Promise<{ members: Member[]; invites: Invite[] }> {
  const [{ members }, { invites }] = await valueOf(
    answerOf(Promise.all([client.api.members.list.query(), client.api.invites.list.query()])),
  );
  return { members, invites };
}

function MemberRow({ member, canRemove, isYou }: { member: Member; canRemove: boolean; isYou: boolean }) {
  const [isAsking, setAsking] = useState(false);
  const { ask, showToast } = useNotes();
  const proven = useProven();
  const refresh = useRefresh();
  const { email, name, role, created } = member;
  const remove = async () => {
    setAsking(false);
    if (!(await ask(proven(() => client.api.members.delete.mutate({ member: member.member }))))) return;
    showToast(`${email} was removed.`);
    await refresh();
  };
  return (
    <div>
      <Row
        name={name ?? email}
        hint={`${name === null ? '' : `${email} · `}${isYou ? 'You, since' : 'Since'} ${moment(created)}`}
        actions={
          role === 'owner' ? (
            <Tag tone="quiet">Owner</Tag>
          ) : (
            canRemove && <Button label="Remove" small onClick={() => setAsking(true)} aria-label={`Remove ${email}`} />
          )
        }
      />
      {isAsking && (
        <div className="settings-pad">
          <Confirm
            question={`Remove ${email}? Their keys and sessions for this account end at once. Their sites stay.`}
            action="Remove"
            onConfirm={remove}
            onCancel={() => setAsking(false)}
          />
        </div>
      )}
    </div>
  );
}

function InviteRow({ invite, canDelete }: { invite: Invite; canDelete: boolean }) {
  const { ask } = useNotes();
  const refresh = useRefresh();
  const name = invite.email ?? 'Anyone with the link';
  const remove = async () => {
    if (await ask(answerOf(client.api.invites.delete.mutate({ invite: invite.invite })))) await refresh();
  };
  return (
    <Row
      name={name}
      hint={`Until ${moment(invite.expires)}`}
      actions={
        canDelete && (
          <Button label="Delete" small onClick={() => void remove()} aria-label={`Delete the invitation for ${name}`} />
        )
      }
    />
  );
}

function InviteDialog({ onClose }: { onClose: () => void }) {
  const [email, setEmail] = useState('');
  const [created, setCreated] = useState<CreatedInvite | null>(null);
  const request = useSubmit();
  const proven = useProven();
  const refresh = useRefresh();
  const invite = async () => {
    const input = email.trim() === '' ? {} : { email };
    const done = await request.submit(proven(() => client.api.invites.create.mutate(input)));
    if (!done) return;
    setCreated(done.value);
    await refresh();
  };
  return (
    <Dialog title="Invite a member" onClose={onClose}>
      {created ? (
        <InviteLink invite={created} onClose={onClose} />
      ) : (
        <DialogForm label="Make a link" isReady request={request} onSubmit={() => void invite()} onCancel={onClose}>
          <Field
            label="E-mail address"
            type="email"
            value={email}
            onText={setEmail}
            hint="Only this person can use the link. Leave it empty for a link that anyone can use, once."
          />
        </DialogForm>
      )}
    </Dialog>
  );
}

function InviteLink({ invite, onClose }: { invite: CreatedInvite; onClose: () => void }) {
  return (
    <div className="dialog-body">
      <p>
        {invite.mailed
          ? `The invitation was sent to ${invite.email}. You can also send this link yourself.`
          : `Send this link to ${invite.email ?? 'the person'}.`}{' '}
        It works once, until {moment(invite.expires)}. It is not shown again.
      </p>
      <div className="secret-line">
        <code className="selectable">{invite.url}</code>
        <CopyButton text={invite.url} subject="link" />
      </div>
      <div className="dialog-foot">
        <Button label="Done" variant="primary" onClick={onClose} />
      </div>
    </div>
  );
}

function useRefresh(): () => Promise<void> {
  const queries = useQueryClient();
  const { refreshAccount } = useBackend();
  return async () => {
    refreshAccount();
    await queries.invalidateQueries({ queryKey: [MEMBERS] });
  };
}
