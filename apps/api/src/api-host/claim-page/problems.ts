import type { ServiceError } from '@berth/core';
import { formatDuration } from '../../pages/format.ts';

/** Explains to a person why a site was not claimed. */
export interface Problem {
  title: string;
  text: string;
  /** The id of the request, if the user should report the problem. */
  requestId?: string;
}

/** Explains an error of a claim. @param message The message of the error, without secrets. */
export function problemOf(error: ServiceError, message: string, requestId: string): Problem {
  switch (error.code) {
    case 'authentication_failed':
      return {
        title: 'This API key is not valid',
        text: 'Check that you copied all of it: “ship-” and the 32 characters after it. It may also have expired or been revoked.',
      };
    case 'not_found':
      return {
        title: 'There is nothing to claim here',
        text: 'The link may be incomplete, the site may have expired, or another account has already claimed it. If you got the link from someone, ask them to publish the site again.',
      };
    case 'rate_limit_exceeded':
      return {
        title: 'Too many attempts',
        text: `Try again in ${formatDuration((error.retryAfterSeconds ?? 1) * 1000)}. You can still claim the site then, unless it expires.`,
      };
    case 'forbidden':
      return error.details
        ? { title: 'The account is full', text: `${message} The link works until the site expires.` }
        : { title: 'This key cannot claim sites', text: message };
    case 'validation_failed':
      return { title: 'The API key is missing', text: 'Enter the API key of the account that claims the site.' };
    case 'internal_server_error':
    case 'unavailable':
      return { title: 'The site was not claimed', text: `${message} Please try again in a moment.`, requestId };
    default:
      return { title: 'The site was not claimed', text: message };
  }
}
