import { ClientError } from '@berth/client';

/** The error of an interrupted publishing whose password is lost, because passwords are kept only in memory. */
export function passwordLost(): ClientError {
  return new ClientError('refused', 'It was interrupted; its password is not kept: drop it again.');
}
