import { createTestClient, type HttpResponse, type RequestOptions } from '@berth/testing/requests';

/** The headers with which a page of the console sends a request on https and on localhost. */
export const FROM_CONSOLE = { 'Sec-Fetch-Site': 'same-origin' };

/** A browser that keeps the cookies of a server. */
export function createBrowser(port: number, { headers = FROM_CONSOLE as Record<string, string> } = {}) {
  const { api } = createTestClient(port);
  const cookies = new Map<string, string>();

  async function request(path: string, options: RequestOptions = {}): Promise<HttpResponse> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await api(path, {
      key: null,
      ...options,
      headers: { ...headers, ...(cookie && { Cookie: cookie }), ...options.headers },
    });
    for (const line of [response.headers['set-cookie'] ?? []].flat()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      if (value === '') cookies.delete(name!);
      else cookies.set(name!, value!);
    }
    return response;
  }

  return {
    cookies,
    request,
    query: (procedure: string, options: RequestOptions = {}) => request(`/trpc/${procedure}`, options),
    call: (procedure: string, input: unknown = {}, options: RequestOptions = {}) =>
      request(`/trpc/${procedure}`, { method: 'POST', json: input, ...options }),
  };
}

/** Returns the result of a tRPC call. */
export function dataOf<T = Record<string, unknown>>(response: HttpResponse): T {
  return response.json<{ result: { data: T } }>().result.data;
}
