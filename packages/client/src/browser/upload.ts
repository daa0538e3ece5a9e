// The parts of a deploy from a page, for the worker of the console: it lists and hashes the files itself, and can pause.
export * from '../folder/folder-doubt.ts';
export type { SkippedFile } from '../folder/snapshot.ts';
export type { ContentsSender } from '../deploy/send-contents.ts';
export { createIdempotencyKey, type ResumeState, toHex } from '../deploy/resume-state.ts';
export { responseError, toClientError } from '../responses.ts';
export { bodiesOf } from './bodies.ts';
export { deployHashed } from './deploy.ts';
export { amountOf, type HashedFile } from './hash-files.ts';
export { type FileList, type FoundFile, listDirectory, listFiles, piecesOf } from './list-files.ts';
export { mapParallel } from './map-parallel.ts';
export { readTogether } from './read-together.ts';
