/** The errors of the device flow. Source: RFC 6749 §5.2; RFC 8628 §3.5. */
const DEVICE_ERRORS = {
  authorization_pending: 'The person has not decided yet. Ask again after the interval.',
  slow_down: 'The requests come too often. Wait 5 seconds longer between them from now on.',
  access_denied: 'The person denied the request.',
  expired_token: 'The code has expired. Start again.',
  invalid_grant: 'The device_code is unknown or was used. Start again.',
  invalid_request: 'The request is not valid.',
  invalid_client: 'client_id must be given: the name of the program, 1 to 40 characters.',
  unsupported_grant_type: 'grant_type must be "urn:ietf:params:oauth:grant-type:device_code".',
} as const;

/** An error code of the device flow. */
export type DeviceError = keyof typeof DEVICE_ERRORS;

/** Returns what an error means and what to do, for the programmer of a client. */
export function describeDeviceError(error: DeviceError): string {
  return DEVICE_ERRORS[error];
}
