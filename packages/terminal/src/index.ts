export { type CommandOutput, createCommand, parseCommandLine, UsageError } from './command-line.ts';
export { columns, escapeControls, fitTable, table } from './text.ts';
