// The messages between the page and the worker that publishes drops.
import type { Publishing } from '@berth/ui/publishing';

/** The options that a drop is published with. */
export interface DropOptions {
  domain?: string | undefined;
  labels?: string[] | undefined;
  password?: string | undefined;
}

/** A file of a list, with its path in the dropped folder. */
export interface ListedFile {
  path: string;
  file: File;
}

/** Where the files of a drop come from. The page sends the files of a `list` in small messages. */
type DropOrigin =
  | { kind: 'directory'; handle: FileSystemDirectoryHandle }
  | { kind: 'zip'; file: File }
  | { kind: 'list' };

/** A drop, or a folder or files that a person chose. */
export interface Drop {
  id: string;
  /** The name of the folder or of the single file; the number of files for several files. */
  name: string;
  kind: Publishing['kind'];
  origin: DropOrigin;
  options: DropOptions;
  /** Whether the server publishes it for an account. */
  isSignedIn: boolean;
  /** Whether it was pasted, which easily happens by mistake. */
  isPasted: boolean;
}

/** A message from the page. */
export type Command =
  | { do: 'publish'; drop: Drop }
  /** More files of a drop that is a list. The last message has `isLast`. */
  | { do: 'add'; id: string; files: ListedFile[]; isLast: boolean }
  | { do: 'answer'; id: string; instead: string | null }
  | { do: 'pause' | 'resume' | 'cancel' | 'retry' | 'forget'; id: string }
  /** Says whether there is a connection. */
  | { do: 'connection'; isOnline: boolean }
  /** Finds the uploads that an earlier page began. */
  | { do: 'restore'; isSignedIn: boolean };

/**
 * A message from the worker: that it runs; the state of a drop; the folder that the page must ask for permission to read again; or that
 * a drop is gone, because another one continues it.
 */
export type Report =
  | { report: 'ready' }
  | { report: 'state'; publishing: Publishing }
  | { report: 'handle'; id: string; handle: FileSystemDirectoryHandle }
  | { report: 'gone'; id: string };
