import { createContext, use } from 'react';
import type { Answer, DesktopApi, Page } from '../../shared/contract.ts';
import type { Problem } from '../../shared/problem.ts';
import type { Given, NextDropOptions } from '../../shared/publishing.ts';

/** The page to show; optionally the card to scroll to, or a server address to fill in. */
export interface Route {
  page: Page;
  id?: string | undefined;
  server?: string | undefined;
}

/** A folder to watch, known by its grant or by the publishing that published it. */
export interface WatchSource {
  name: string;
  of: { grant: string } | { publishing: string };
  /** Whether it was published with a password. */
  hasPassword?: boolean | undefined;
  /** Initial values of the form. */
  options?: NextDropOptions | undefined;
}

/** The contents of a toast. A problem stays until it is dismissed; others disappear after a few seconds. */
export interface ToastContent {
  text: string;
  problem?: Problem | undefined;
  action?: { label: string; run: () => void } | undefined;
}

/** Functions of the window that any component may use. */
export interface Shell {
  desktop: DesktopApi;
  route: Route;
  navigate(route: Route): void;
  showToast(content: ToastContent): void;
  /** Awaits an answer and shows its problem, if any, as a toast. @returns The value; `null` after a problem. */
  ask<T>(command: Promise<Answer<T>>): Promise<{ value: T } | null>;
  /** Opens the watch dialog for one folder after the other. Dropped and chosen folders start with the options of the next drop. */
  watch(sources: readonly WatchSource[]): void;
  /** Publishes with the options of the next drop. If one of them is invalid, shows a message and publishes nothing. */
  publish(given: readonly Given[], how?: { pasted: boolean }): Promise<void>;
  /** Opens the system dialog for a folder or files, and publishes the selection. */
  choose(kind: 'folder' | 'files'): Promise<void>;
}

export const ShellContext = createContext<Shell | null>(null);

export function useShell(): Shell {
  return use(ShellContext)!;
}
