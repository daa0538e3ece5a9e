import type { IncomingMessage } from 'node:http';
import type { Core, Log, ProcedureContext } from '@berth/core';
import type { Request, Response } from 'express';
import type { Health } from '../health/health.ts';

export interface ApiHostOptions {
  core: Core;
  health: Health;
  baseUrl: URL;
  /** A claim link is this URL, a slash and a claim hash. */
  claimUrl: string;
  /** The URL for reports of abuse; `null` for none. Source: api §10. */
  abuseContact: string | null;
  /** Whether the console keeps sessions over plain http on hosts other than those of this machine. */
  allowInsecure: boolean;
  /** The folder of the built console; `null` for none. */
  consoleFolder: string | null;
  /** The folder for temporary files. */
  spoolFolder: string;
  log: Log;
  /** Returns the client's address, past trusted proxies; empty when the connection is closed. */
  addressOf(req: IncomingMessage): string;
}

/** Creates the context for procedures. @throws the error for an invalid credential, or for a client over its limit. */
export type CreateContext = (req: Request, res: Response) => ProcedureContext;
