/** How a request was authenticated. */
export const AUTH_METHODS = ['api-key', 'deploy-token', 'session', 'operator', 'system'] as const;
export type AuthMethod = (typeof AUTH_METHODS)[number];
