export { type CommandOutput, createCommand, parseCommandLine, UsageError } from './command-line.ts';
export { columns, escapeControls, fitTable, table, wrap } from './text.ts';
