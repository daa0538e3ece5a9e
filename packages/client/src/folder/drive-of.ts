import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { win32 } from 'node:path';

/** The facts that determine on which drive a path is. */
export interface Machine {
  platform: string;
  home: string;
  /** The mount points of drives. Linux only. */
  mountPoints(): readonly string[];
}

const THIS_MACHINE: Machine = { platform: process.platform, home: homedir(), mountPoints: readMountPoints };

/**
 * Names the drive of a path without accessing the drive. On the disk of the system or of the home folder, each path counts as a
 * separate drive, because it may be a link to another drive.
 */
export function driveOf(path: string, machine: Machine = THIS_MACHINE): string {
  const drive = mountPointOf(path, machine);
  return drive === '/' || drive === mountPointOf(machine.home, machine) ? path : drive;
}

function mountPointOf(path: string, { platform, mountPoints }: Machine): string {
  if (platform === 'win32') return win32.parse(path).root.toLowerCase();
  if (platform === 'darwin') return /^\/Volumes\/[^/]+/.exec(path)?.[0] ?? '/';
  let longest = '/';
  for (const point of mountPoints())
    if (point.length > longest.length && (path === point || path.startsWith(`${point}/`))) longest = point;
  return longest;
}

/**
 * Parses the mount points from the text of `/proc/self/mountinfo`.
 *
 * Source: https://man7.org/linux/man-pages/man5/proc_pid_mountinfo.5.html.
 */
export function parseMountPoints(text: string): string[] {
  const points = text.split('\n').map((line) => line.split(' ', 5)[4] ?? '');
  // Spaces and similar characters are written as octal numbers.
  return points.map((point) =>
    point.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8))),
  );
}

let known: string[] | null = null;

/**
 * Reads the mount points from the kernel, which does not access any drive. Reads them once for all paths in the same turn of
 * the event loop.
 */
function readMountPoints(): string[] {
  if (known === null) {
    try {
      known = parseMountPoints(readFileSync('/proc/self/mountinfo', 'utf8'));
    } catch {
      known = [];
    }
    queueMicrotask(() => (known = null));
  }
  return known;
}
