import type { Files } from '@berth/testing/requests';
import type { World } from './world.ts';

/** The input of an operation. Absent parts are not sent. */
export interface Input {
  path?: Record<string, string>;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  json?: unknown;
  form?: { files: Files; fields?: Record<string, string> };
  /** A body with contents of an upload. */
  contents?: Buffer;
  /** The credential; `null` sends none. Default: an API key of the account. */
  key?: string | null;
}

/** A test case that was written for one operation: an input, and the expected status. */
export interface Case {
  title: string;
  status: number;
  input: (world: World) => Input | Promise<Input>;
}

/** Creates a case from its title, the expected status, and the input, which may depend on the world. */
export const caseOf = (title: string, status: number, input: Input | Case['input'] = {}): Case => ({
  title,
  status,
  input: typeof input === 'function' ? input : () => input,
});
