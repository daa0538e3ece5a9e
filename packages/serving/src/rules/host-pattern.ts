import { Fault, quote } from './fault.ts';

/** A parsed host of a rule. */
interface ReadHost {
  /** The host in lower case and without a port. A label `*` stands for a placeholder. */
  host: string;
  /** The names of the placeholders, in order. */
  names: string[];
}

const PLACEHOLDER_LABEL = /^:([a-z_]\w*)$/i;
const HOST_NAME = /^[a-z\d.-]+\.[a-z\d-]+$/;
const OTHER_SERVICES = /\.(?:github\.io|netlify\.app|netlify\.com|now\.sh|pages\.dev|vercel\.app|workers\.dev)$/;
const NO_CAPTURES: readonly string[] = [];

/** Parses a host whose labels are literal or placeholders, such as `:project.example.com`. Source: serving S24, S30. */
export function readHost(text: string): ReadHost | Fault {
  const labels = text.split('.').map((label) => PLACEHOLDER_LABEL.exec(label)?.[1] ?? { literal: label });
  const literalText = labels.map((label) => (typeof label === 'string' ? 'x' : label.literal)).join('.');
  const name = URL.canParse(`http://${literalText}`) ? new URL(`http://${literalText}`).host : '';
  const literals = name.split('.');
  if (!HOST_NAME.test(name) || literals.length !== labels.length)
    return new Fault(
      `the host of a path must be a name, as in https://www.example.com/old or https://:site.example.com/old; this is ${quote(text)}`,
    );
  if (OTHER_SERVICES.test(name))
    return new Fault(
      `no request reaches ${quote(text)}, an address of another service; write the path alone, or a domain of this site`,
    );
  return {
    host: literals.map((literal, at) => (typeof labels[at] === 'string' ? '*' : literal)).join('.'),
    names: labels.filter((label) => typeof label === 'string'),
  };
}

/**
 * Matches the host of a request.
 *
 * @param pattern The host of a rule; `undefined` for a rule that applies to every host.
 * @returns What the placeholders of the pattern capture, each one label; `null` if the host does not match. Source: serving S30.
 */
export function matchHost(pattern: string | undefined, host: string): readonly string[] | null {
  if (pattern === undefined || pattern === host) return NO_CAPTURES;
  if (!hasPlaceholder(pattern)) return null;
  const labels = host.split('.');
  const patternLabels = pattern.split('.');
  if (labels.length !== patternLabels.length) return null;
  if (labels.some((label, at) => patternLabels[at] !== '*' && patternLabels[at] !== label)) return null;
  return labels.filter((_, at) => patternLabels[at] === '*');
}

/** Whether the host of a rule has a placeholder. */
export function hasPlaceholder(pattern: string): boolean {
  return pattern.includes('*');
}
