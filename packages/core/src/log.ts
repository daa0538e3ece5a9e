/** The log of the core. A subset of pino's interface. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Logs nothing. */
export const SILENT: Log = { info() {}, warn() {}, error() {} };
