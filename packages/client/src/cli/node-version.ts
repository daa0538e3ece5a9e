/** The oldest Node that berth runs on: the one its file watcher, chokidar 6, asks for. */
export const OLDEST_NODE = '22.22.0';

/** What to print when a Node is too old for berth; `null` when it is not. @param version Such as `20.20.2`. */
export function tooOld(version: string): string | null {
  const [major, minor] = partsOf(version);
  const [oldestMajor, oldestMinor] = partsOf(OLDEST_NODE);
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return null;
  return `Error: berth needs Node ${oldestMajor}.${oldestMinor} or newer; this is Node ${version}.\n`;
}

function partsOf(version: string): [major: number, minor: number] {
  const [major, minor] = version.split('.').map(Number);
  return [major!, minor!];
}
