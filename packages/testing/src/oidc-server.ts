import type { AddressInfo } from 'node:net';
import { Events, OAuth2Server } from 'oauth2-mock-server';

/** What the provider says about the person who signs in next. */
interface ProvidedPerson {
  sub: string;
  email?: string;
  email_verified?: boolean;
  name?: string;
  /** When the person signed in at the provider, in Unix seconds. Default: now; `null`: the provider does not say. */
  auth_time?: number | null;
}

/** An OpenID Connect provider that signs in everyone at once. */
export interface TestProvider {
  issuer: string;
  port: number;
  /** The person who signs in next. */
  person: ProvidedPerson;
  /** What only the userinfo endpoint says about that person. */
  profile: Partial<ProvidedPerson>;
  /** The error with which the provider sends the browser back, such as `access_denied`. Default: none. */
  refusal: string | null;
  close(): Promise<void>;
}

/** Starts a provider. @param port Default: a free one. */
export async function startProvider(port = 0): Promise<TestProvider> {
  const server = new OAuth2Server();
  await server.issuer.keys.generate('RS256');
  await server.start(port, 'localhost');
  const address: AddressInfo = server.address();
  const provider: TestProvider = {
    issuer: `http://localhost:${address.port}`,
    port: address.port,
    person: { sub: 'unknown' },
    profile: {},
    refusal: null,
    close: () => server.stop(),
  };
  server.issuer.url = provider.issuer;
  server.service.on(Events.BeforeTokenSigning, ({ payload }) => {
    const { auth_time: signedIn = Math.floor(Date.now() / 1000), ...person } = provider.person;
    Object.assign(payload, person, signedIn !== null && { auth_time: signedIn });
  });
  server.service.on(Events.BeforeAuthorizeRedirect, ({ url }) => {
    if (provider.refusal === null) return;
    url.searchParams.delete('code');
    url.searchParams.set('error', provider.refusal);
  });
  server.service.on(Events.BeforeUserinfo, (response) => {
    response.body = { ...provider.person, ...provider.profile };
  });
  return provider;
}
