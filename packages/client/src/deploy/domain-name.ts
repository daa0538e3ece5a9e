/**
 * The whole name of a domain: a name without a dot is one below the platform domain, which a deployment tells by its address.
 *
 * @param deployment Any deployment of the same server.
 */
export function wholeDomainName(name: string, { deployment, url }: { deployment: string; url: string }): string {
  return name.includes('.') ? name : `${name}.${new URL(url).hostname.slice(deployment.length + 1)}`;
}
