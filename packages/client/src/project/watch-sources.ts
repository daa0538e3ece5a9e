import { relative, sep } from 'node:path';
import { createWatcher, type Watcher, type WatcherEvents } from '../watch/watcher.ts';

/** Folders that builds and package managers write, at any depth. */
const GENERATED = new Set([
  '.git',
  'node_modules',
  '.next',
  '.nuxt',
  '.output',
  '.astro',
  '.svelte-kit',
  '.docusaurus',
  '.angular',
  '.cache',
  '.parcel-cache',
  '.turbo',
  '.vite',
  '.jekyll-cache',
]);

/**
 * Watches the sources of a project: everything in it except what its build writes, its dependencies and known caches.
 *
 * @param root The absolute path of the project. @param output The folder inside it that contains the built site.
 * @returns The watcher, after it has become active. @throws ClientError `aborted` if the caller aborts before.
 */
export function watchSources(
  root: string,
  output: string,
  events: WatcherEvents,
  signal: AbortSignal,
): Promise<Watcher> {
  const outputParts = relative(root, output).split(sep);
  const isOutput = (parts: readonly string[]) => outputParts.every((part, index) => part === parts[index]);
  return createWatcher(root, events, signal, (parts) => isOutput(parts) || parts.some((part) => GENERATED.has(part)));
}
