import type { ServiceError } from '@berth/core';
import { formatDuration } from '../../pages/format.ts';

/** Why a site was not claimed, in words for the person who tried. */
export interface Problem {
  title: string;
  text: string;
  /** Whether a retry can succeed. */
  canRetry: boolean;
  /** The id of the request, when the problem should be reported. */
  requestId?: string;
}

/**
 * Explains an error in words for the claim page.
 *
 * @param message The message of the error as clients may see it.
 */
export function problemOf(error: ServiceError, message: string, requestId: string): Problem {
  switch (error.code) {
    case 'authentication_failed':
      return {
        title: 'This API key is not valid',
        text: 'Check that you copied all of it: “ship-” and the 32 characters after it. It may also have expired or been revoked.',
        canRetry: true,
      };
    case 'not_found':
      return {
        title: 'There is nothing to claim here',
        text: 'The link may be incomplete, the site may have expired, or another account has already claimed it. If you got the link from someone, ask them to publish the site again.',
        canRetry: false,
      };
    case 'rate_limit_exceeded':
      return {
        title: 'Too many attempts',
        text: `Try again in ${formatDuration((error.retryAfterSeconds ?? 1) * 1000)}. You can still claim the site then, unless it expires.`,
        canRetry: true,
      };
    case 'forbidden':
      return error.details
        ? { title: 'The account is full', text: `${message} The link works until the site expires.`, canRetry: true }
        : { title: 'This key cannot claim sites', text: message, canRetry: true };
    case 'validation_failed':
      return {
        title: 'The API key is missing',
        text: 'Enter the API key of the account that claims the site.',
        canRetry: true,
      };
    case 'internal_server_error':
    case 'unavailable':
      return {
        title: 'The site was not claimed',
        text: `${message} Please try again in a moment.`,
        canRetry: true,
        requestId,
      };
    default:
      return { title: 'The site was not claimed', text: message, canRetry: true };
  }
}
