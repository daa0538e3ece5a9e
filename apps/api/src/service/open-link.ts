import { type Core, createOwnerLink, ownerNeedsLink } from '@berth/core';

/** The command that prints a one-time link for the owner. */
const COMMAND = 'npm run berth -- sign-in';

/** Returns a one-time link for the owner, or without a terminal the command that prints one; `null` if the owner needs none. */
export async function openLinkOf(core: Core, isTerminal: boolean): Promise<string | null> {
  if (!(await ownerNeedsLink(core))) return null;
  return isTerminal ? createOwnerLink(core) : COMMAND;
}
