import { z } from 'zod';
import { Timestamp } from './timestamp.ts';

/** The number of seconds for which a person can approve a device: 10 minutes. Source: api §13. */
export const DEVICE_GRANT_SECONDS = 600;
/** The number of seconds between two polls of a device. Source: RFC 8628 §3.2. */
export const DEVICE_POLL_SECONDS = 5;
/** The grant type of the device flow. Source: RFC 8628 §3.4. */
export const DEVICE_GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:device_code';

/** The body of the 200 of `POST /oauth/device_authorization`. Source: RFC 8628 §3.2. */
export const DeviceAuthorization = z.object({
  device_code: z.string().describe('The secret with which the program asks for its key.'),
  user_code: z.string().describe('The code that the person types.').meta({ example: 'BCDF-GHJK' }),
  verification_uri: z.string().describe('The page on which the person types the code.'),
  verification_uri_complete: z.string().describe('The same page with the code in its text box.'),
  expires_in: z.int().describe('Seconds until the codes expire.'),
  interval: z.int().describe('Seconds to wait between two requests for the key.'),
});
export type DeviceAuthorization = z.infer<typeof DeviceAuthorization>;

/** The body of the 200 of `POST /oauth/token`: the API key. Source: RFC 6749 §5.1. */
export const DeviceToken = z.object({
  access_token: z.string().describe('The API key. Only this response contains it.'),
  token_type: z.string().describe('Always `Bearer`.'),
});
export type DeviceToken = z.infer<typeof DeviceToken>;

/** The body of an error of the device flow. Source: RFC 6749 §5.2; RFC 8628 §3.5. */
export const DeviceFlowError = z.object({
  error: z.string().describe('The error code of the RFC, for programs.'),
  error_description: z.string().optional().describe('The error, for people.'),
});
export type DeviceFlowError = z.infer<typeof DeviceFlowError>;

/** The input of `devices.find`, `devices.approve` and `devices.deny`. */
export const DeviceCode = z.object({
  code: z.string().max(64, 'the code must have 8 letters').describe('The code that the device shows, as it was typed.'),
});

/** A program that waits for an API key. */
export const DeviceRequest = z.object({
  client: z.string().describe('What the program calls itself. It can claim any name.'),
  address: z.string().describe('The address that it asks from, with IPv6 cut to its /64.'),
  created: Timestamp,
  expires: Timestamp,
});
export type DeviceRequest = z.infer<typeof DeviceRequest>;
