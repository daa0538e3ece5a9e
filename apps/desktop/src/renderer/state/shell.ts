import { createContext, use } from 'react';
import type { Answer, DesktopApi, Page } from '../../shared/contract.ts';
import type { Problem } from '../../shared/problem.ts';
import type { Given, NextDropOptions } from '../../shared/publishing.ts';

/** Where the window is, and what is meant there. */
export interface Place {
  page: Page;
  id?: string | undefined;
  server?: string | undefined;
}

/** A folder to watch, by what it is known. */
export interface WatchSource {
  name: string;
  of: { grant: string } | { publishing: string };
  /** Whether it was published with a password. */
  hasPassword?: boolean | undefined;
  /** What the form starts with. */
  options?: NextDropOptions | undefined;
}

/** What is said beside the pages. A problem stays until it is dismissed; the rest goes by itself. */
export interface Saying {
  text: string;
  problem?: Problem | undefined;
  action?: { label: string; run: () => void } | undefined;
}

/** What every part of the window may ask of the whole. */
export interface Shell {
  desktop: DesktopApi;
  place: Place;
  go(place: Place): void;
  say(saying: Saying): void;
  /** Tells of a problem. @returns the value; `null` when there was a problem. */
  ask<T>(asked: Promise<Answer<T>>): Promise<{ value: T } | null>;
  /** Opens the dialog that asks how a folder is to be watched, for one after the other. What was given gets what is set for the next drop. */
  watch(sources: readonly WatchSource[]): void;
  /** Publishes what the user gave, with what is set for the next drop; nothing while one of the options is wrong. */
  publish(given: readonly Given[], how?: { pasted: boolean }): Promise<void>;
  /** Asks for a folder or files with the dialog of the system, and publishes them. */
  choose(kind: 'folder' | 'files'): Promise<void>;
}

export const ShellContext = createContext<Shell | null>(null);

export function useShell(): Shell {
  return use(ShellContext)!;
}
