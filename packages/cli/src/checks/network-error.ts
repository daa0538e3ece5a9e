import type { ClientError } from '@berth/client';
import type { Session } from '../session.ts';

/** The errors of a certificate that this machine does not accept. */
const CERTIFICATE_ERROR = /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT_)/;

/** The cause of an error of the network, and what the user can do. */
interface NetworkFault {
  cause: string;
  next: string;
}

/** Explains an error of the network; returns `null` if the error is of another kind or its code is unknown. */
export function explainNetworkError(error: ClientError, { server: { server }, env }: Session): NetworkFault | null {
  if (error.kind !== 'network') return null;
  const proxy = proxyVariableOf(server, env);
  if (proxy !== null && !env['NODE_USE_ENV_PROXY'])
    return {
      cause: `${proxy} is set, and Node ignores it`,
      next: 'To use the proxy, set NODE_USE_ENV_PROXY=1.',
    };
  const code = codeOf(error);
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return { cause: 'there is no DNS record', next: 'Check the spelling of the address, or set --server.' };
  if (code === 'ECONNREFUSED')
    return { cause: 'the connection is refused', next: 'Start the server, or set --server.' };
  if (CERTIFICATE_ERROR.test(code))
    return {
      cause: `the certificate is not valid (${code})`,
      next: 'Renew the certificate. To trust your own certificate authority, set NODE_EXTRA_CA_CERTS.',
    };
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_'))
    return { cause: 'there is no TLS at this port', next: `Use --server http://${server.host}` };
  return null;
}

/** Returns the name of the variable that sets a proxy for the server; `null` without a proxy and for this machine. */
function proxyVariableOf({ protocol, hostname }: URL, env: Session['env']): string | null {
  if (/(?:^|\.)localhost$|^127\.|^\[::1\]$/.test(hostname)) return null;
  const name = protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  return [name, name.toLowerCase()].find((variable) => env[variable]) ?? null;
}

/** Returns the code of the root cause of an error, such as `ENOTFOUND`; empty for an error without a code. */
export function codeOf(error: Error): string {
  for (let inner: unknown = error; inner instanceof Error;) {
    const { code, cause } = inner as NodeJS.ErrnoException;
    if (inner instanceof AggregateError && inner.errors[0] instanceof Error) inner = inner.errors[0];
    else if (cause instanceof Error) inner = cause;
    else return typeof code === 'string' ? code : '';
  }
  return '';
}
