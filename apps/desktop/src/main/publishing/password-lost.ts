import { ClientError } from '@berth/client';

/** The error of an interrupted publishing whose password is lost, because passwords are kept only in memory. */
export function passwordLost(): ClientError {
  return new ClientError('refused', 'Publishing was interrupted, and its password is not stored. Drop it again.');
}
