import type { Files } from '@berth/testing/requests';
import type { World } from './world.ts';

/** The input of an operation. Absent fields are not sent. */
export interface Input {
  path?: Record<string, string>;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent as multipart. */
  form?: { files: Files; fields?: Record<string, string> };
  /** Sent as contents of an upload. */
  contents?: Buffer;
  /** Default: an API key of the account. */
  key?: string | null;
}

/** An input that only a case written for this operation can test, and the status of its answer. */
export interface Case {
  title: string;
  status: number;
  input: (world: World) => Input | Promise<Input>;
}

/** Names a case: its title, the status of its answer, and its input, which may depend on the world. */
export const when = (title: string, status: number, input: Input | Case['input'] = {}): Case => ({
  title,
  status,
  input: typeof input === 'function' ? input : () => input,
});
