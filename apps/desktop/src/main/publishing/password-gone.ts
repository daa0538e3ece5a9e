import { ClientError } from '@berth/client';

/** The error of what was interrupted and needs a password: passwords are in memory alone. */
export function passwordGone(): ClientError {
  return new ClientError('refused', 'It was interrupted; its password is not kept: drop it again.');
}
