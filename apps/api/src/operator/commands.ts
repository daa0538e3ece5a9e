import { accountCommands } from './accounts.ts';
import type { Command } from './command.ts';
import { doctorCommands } from './doctor.ts';
import { keyCommands } from './keys.ts';
import { memberCommands } from './members.ts';
import { planCommands } from './plans.ts';
import { siteCommands } from './sites.ts';
import { sweepCommands } from './sweep.ts';

/** Every command, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  ...accountCommands,
  ...planCommands,
  ...keyCommands,
  ...memberCommands,
  ...siteCommands,
  ...sweepCommands,
  ...doctorCommands,
];
