/** The oldest Node that can run berth. Its file watcher, chokidar 6, requires it. */
export const MIN_NODE_VERSION = '22.22.0';

/** Returns the message for a Node that is too old; `null` if it is new enough. @param version Such as `20.20.2`. */
export function nodeTooOldMessage(version: string): string | null {
  const [major, minor] = partsOf(version);
  const [oldestMajor, oldestMinor] = partsOf(MIN_NODE_VERSION);
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return null;
  return `Error: berth needs Node ${oldestMajor}.${oldestMinor} or newer; this is Node ${version}.\n`;
}

function partsOf(version: string): [major: number, minor: number] {
  const [major, minor] = version.split('.').map(Number);
  return [major!, minor!];
}
