import type { useServer } from '@berth/testing/use-server';

/** Approves the sign-in of the app for an account, as a person does on the page of the server. */
export async function approveSignIn(
  { database }: ReturnType<ReturnType<typeof useServer>>,
  account: string,
): Promise<void> {
  await database.query(
    `with person as (insert into person (id, email, created) values ('per-desktop', 'mara@example.com', now()) returning id),
       member as (insert into member (account_id, person_id, email, role, created)
         select $1, id, 'mara@example.com', 'member', now() from person)
     update device_grant set state = 'approved', account_id = $1, person_id = 'per-desktop' where client like 'berth-desktop on %'`,
    [account],
  );
}
