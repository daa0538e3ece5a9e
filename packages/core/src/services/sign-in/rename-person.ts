import { db } from '../../database/tables.ts';
import type { SessionScope } from './session-scope.ts';

/** Changes the name of the person. @param name `null` for none. Source: api §13. */
export async function renamePerson({ core, caller }: SessionScope, name: string | null): Promise<void> {
  await db(core).updateTable('person').set({ name }).where('id', '=', caller.member.person).execute();
}
