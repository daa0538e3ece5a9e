import type { Operation } from './operations.ts';

/** An operation with the values of the variables of its path. */
export interface FoundOperation<Value> {
  value: Value;
  /** The values by name, still encoded. */
  params: Record<string, string>;
}

interface Entry<Value> {
  /** The segments of the path. A variable is its name in braces. */
  template: readonly string[];
  value: Value;
}

/** Finds the operation of a request without trying all of them. A fixed path comes before one with variables. */
export class OperationTable<Value> {
  /** By method and fixed path. */
  readonly #fixed = new Map<string, Value>();
  /** By method, number of segments and first segment. */
  readonly #variable = new Map<string, Entry<Value>[]>();

  add({ method, path }: Operation['openapi'], value: Value): void {
    const template = path.split('/');
    if (!path.includes('{')) {
      this.#fixed.set(`${method} ${path}`, value);
      return;
    }
    const key = keyOf(method, template);
    const entries = [...(this.#variable.get(key) ?? []), { template, value }];
    // `/domains/{domain}/records` comes before `/domains/{domain}/{other}`.
    this.#variable.set(
      key,
      entries.toSorted((a, b) => (a.template.join('/') < b.template.join('/') ? -1 : 1)),
    );
  }

  /** Finds the operation with this method and path, including case and slashes. A `HEAD` finds that of `GET`. */
  find(requestMethod: string, path: string): FoundOperation<Value> | null {
    const method = requestMethod === 'HEAD' ? 'GET' : requestMethod;
    const fixedValue = this.#fixed.get(`${method} ${path}`);
    if (fixedValue !== undefined) return { value: fixedValue, params: {} };
    const segments = path.split('/');
    for (const { template, value } of this.#variable.get(keyOf(method, segments)) ?? []) {
      const params = paramsOf(template, segments);
      if (params) return { value, params };
    }
    return null;
  }
}

const keyOf = (method: string, segments: readonly string[]) => `${method} ${segments.length} ${segments[1]}`;

function paramsOf(template: readonly string[], segments: readonly string[]): Record<string, string> | null {
  const params: Record<string, string> = {};
  for (const [at, expected] of template.entries()) {
    const segment = segments[at]!;
    if (!expected.startsWith('{')) {
      if (segment !== expected) return null;
    } else if (segment === '') return null;
    else params[expected.slice(1, -1)] = segment;
  }
  return params;
}

/** Decodes the values of a path. @throws URIError for invalid percent-encoding. */
export function decodeParams(params: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(params).map(([name, text]) => [name, decodeURIComponent(text)]));
}
