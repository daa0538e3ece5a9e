import { createHmac } from 'node:crypto';
import type { ClientAuth, Configuration } from 'openid-client';
import { ServiceError, unavailable } from '../errors.ts';

/** What a provider says about a person. */
export interface OidcClaims {
  /** The id of the person at the provider, which never changes. */
  subject: string;
  /** The e-mail address in lower case, if the provider has verified it; otherwise `null`. */
  verifiedEmail: string | null;
  /** The e-mail address, verified or not; `null` for none. It proves nothing. */
  email: string | null;
  name: string | null;
  /** When the person last signed in at the provider, in Unix seconds; `null` if it does not say. */
  signedIn: number | null;
}

/** An OpenID Connect provider. */
export interface OidcProvider {
  readonly issuer: string;
  /** The name that people see. */
  readonly name: string;
  /**
   * Returns the URL at the provider to which a browser is sent.
   *
   * @param secret Known to this browser alone. State, nonce and PKCE verifier are derived from it, so nothing else must be kept.
   * @param isProof Whether the provider must ask the person to sign in again, whenever that was before. Default: false.
   * @throws `unavailable` if the provider cannot be reached.
   */
  authorizationUrl(secret: string, isProof?: boolean): Promise<URL>;
  /**
   * Returns the person with whom the provider sent the browser back.
   *
   * @param callback The URL that the browser opened.
   * @param secret The secret of this browser.
   * @param askedSeconds How long ago the provider was asked to sign the person in again; absent if it was not. The person must have
   *   signed in there since then.
   * @throws `authentication_failed` if the person cancelled, the response is for another browser, or the provider does not say that
   *   the person has signed in again; `unavailable`.
   */
  identify(callback: URL, secret: string, askedSeconds?: number): Promise<OidcClaims>;
}

/** How the provider knows this server, and where it sends browsers back. */
export interface OidcOptions {
  issuer: string;
  clientId: string;
  clientSecret: string;
  name: string;
  redirectUri: string;
}

const TIMEOUT_SECONDS = 10;
const MAX_EMAIL_LENGTH = 254;
/** A person who signed in at the provider longer ago must do so again. A session of the console lasts no longer either. */
const MAX_SIGN_IN_AGE_SECONDS = 90 * 24 * 3600;
/** The metadata and keys of the provider are read again after this time. */
const METADATA_MS = 3_600_000;
const SCOPE = 'openid email profile';

/**
 * Creates a provider. The library and the metadata are loaded when they are first needed. A provider that cannot be reached is asked
 * again for the next sign-in. Source: api §13.
 */
export function createOidcProvider(options: OidcOptions): OidcProvider {
  const { issuer, name, redirectUri } = options;
  let discovered: { config: Promise<Configuration>; untilMs: number } | null = null;

  function configuration(): Promise<Configuration> {
    if (discovered && performance.now() < discovered.untilMs) return discovered.config;
    const config = discover(options).catch((error: unknown) => {
      discovered = null;
      throw unreachable(name, error);
    });
    discovered = { config, untilMs: performance.now() + METADATA_MS };
    return config;
  }

  return {
    issuer,
    name,
    async authorizationUrl(secret, isProof = false) {
      const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await import('openid-client');
      const { state, nonce, verifier } = secretsOf(secret);
      return buildAuthorizationUrl(await configuration(), {
        redirect_uri: redirectUri,
        scope: SCOPE,
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        // With a maximum age, the provider must say when the person has signed in.
        max_age: String(isProof ? 0 : MAX_SIGN_IN_AGE_SECONDS),
        ...(isProof && { prompt: 'login' }),
      });
    },
    async identify(callback, secret, askedSeconds) {
      const client = await import('openid-client');
      const config = await configuration();
      const { state, nonce, verifier } = secretsOf(secret);
      try {
        const tokens = await client.authorizationCodeGrant(config, callback, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
          ...(askedSeconds !== undefined && { maxAge: askedSeconds }),
        });
        const claims = tokens.claims()!;
        const profile =
          claims['email'] === undefined && config.serverMetadata().userinfo_endpoint !== undefined
            ? await client.fetchUserInfo(config, tokens.access_token, claims.sub)
            : claims;
        return toClaims(claims, profile);
      } catch (error) {
        throw refusalOf(name, error);
      }
    },
  };
}

async function discover({ issuer, clientId, clientSecret, redirectUri }: OidcOptions): Promise<Configuration> {
  const client = await import('openid-client');
  const isPlain = issuer.startsWith('http:');
  const byPost = client.ClientSecretPost(clientSecret);
  const byHeader = client.ClientSecretBasic(clientSecret);
  const authenticate: ClientAuth = (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (methods.includes('client_secret_basic') ? byHeader : byPost)(server, ...rest);
  };
  const config = await client.discovery(
    new URL(issuer),
    clientId,
    { client_secret: clientSecret, redirect_uris: [redirectUri] },
    authenticate,
    { timeout: TIMEOUT_SECONDS, execute: isPlain ? [client.allowInsecureRequests] : [] },
  );
  client.enableNonRepudiationChecks(config);
  return config;
}

function secretsOf(secret: string): { state: string; nonce: string; verifier: string } {
  const derive = (purpose: string) => createHmac('sha256', secret).update(`oidc ${purpose}`).digest('base64url');
  return { state: derive('state'), nonce: derive('nonce'), verifier: derive('verifier') };
}

function toClaims(
  { sub: subject, auth_time: signedIn }: { sub: string; auth_time?: number },
  profile: Readonly<Record<string, unknown>>,
): OidcClaims {
  const { email, email_verified: isVerified, name } = profile;
  return {
    subject,
    verifiedEmail: typeof email === 'string' && isVerified === true ? email.toLowerCase() : null,
    email: typeof email === 'string' ? email.slice(0, MAX_EMAIL_LENGTH) : null,
    name: typeof name === 'string' && name !== '' ? name : null,
    signedIn: typeof signedIn === 'number' ? signedIn : null,
  };
}

/** Distinguishes what the provider or the browser did from a provider that cannot be reached. */
function refusalOf(name: string, error: unknown): ServiceError {
  const { code = '', cause } = error as { code?: string; cause?: { code?: string } };
  const isNetwork =
    code === 'OAUTH_TIMEOUT' || error instanceof TypeError || /^(?:E[A-Z]+|UND_)/.test(cause?.code ?? '');
  if (isNetwork && !code.startsWith('OAUTH_INVALID')) return unreachable(name, error);
  return new ServiceError('authentication_failed', `${name} did not sign you in. Try again.`, { cause: error });
}

function unreachable(name: string, cause: unknown): ServiceError {
  return unavailable(`${name} cannot be reached. Try again in a moment, or sign in another way.`, cause);
}
