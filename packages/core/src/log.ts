/** The log of the core, which is a subset of the interface of pino. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** A log that discards everything. */
export const SILENT: Log = { info() {}, warn() {}, error() {} };
