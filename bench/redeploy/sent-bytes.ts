import { subscribe } from 'node:diagnostics_channel';

let bytes = 0;
subscribe('undici:client:sendHeaders', (message) => {
  bytes += (message as { headers: string }).headers.length;
});
subscribe('undici:request:bodyChunkSent', (message) => {
  bytes += (message as { chunk: Buffer }).chunk.length;
});

/** Returns the total size of heads and bodies of all requests that `fetch` has sent in this process. */
export function sentBytes(): number {
  return bytes;
}
