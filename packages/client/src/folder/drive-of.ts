import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { win32 } from 'node:path';

/** What decides on which drive a path is. */
export interface Machine {
  platform: string;
  home: string;
  /** Where drives are mounted. Linux only. */
  mountPoints(): readonly string[];
}

const THIS_MACHINE: Machine = { platform: process.platform, home: homedir(), mountPoints: readMountPoints };

/**
 * Names the drive that a path is on, without asking the drive. A path on the disk of the system, or of the home folder, counts as
 * a drive of its own: it may be a link to another drive.
 */
export function driveOf(path: string, machine: Machine = THIS_MACHINE): string {
  const drive = mountOf(path, machine);
  return drive === '/' || drive === mountOf(machine.home, machine) ? path : drive;
}

function mountOf(path: string, { platform, mountPoints }: Machine): string {
  if (platform === 'win32') return win32.parse(path).root.toLowerCase();
  if (platform === 'darwin') return /^\/Volumes\/[^/]+/.exec(path)?.[0] ?? '/';
  let longest = '/';
  for (const point of mountPoints())
    if (point.length > longest.length && (path === point || path.startsWith(`${point}/`))) longest = point;
  return longest;
}

/** Finds the mount points in the text of `/proc/self/mountinfo`. Source: proc_pid_mountinfo(5). */
export function parseMountPoints(text: string): string[] {
  const points = text.split('\n').map((line) => line.split(' ', 5)[4] ?? '');
  // Spaces and the like are written as octal numbers.
  return points.map((point) =>
    point.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8))),
  );
}

let known: string[] | null = null;

/** Asks the kernel, which asks no drive: once for all paths that are named in a row. */
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
