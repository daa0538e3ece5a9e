interface Instruction {
  /** In upper case: `RUN`. */
  name: string;
  /** The rest of the line. Continued lines are joined. */
  text: string;
}

/** One `FROM` and the instructions after it. */
export interface Stage {
  /** The name after `AS`, or an empty text. */
  name: string;
  instructions: Instruction[];
}

/** Reads the stages of a Dockerfile. */
export function parseDockerfile(text: string): Stage[] {
  const stages: Stage[] = [];
  const lines = text.replaceAll(/^#.*\n/gm, '').replaceAll(/\\\n\s*/g, '');
  for (const [, name, rest] of lines.matchAll(/^([A-Z]+) (.+)$/gm)) {
    if (name === 'FROM') stages.push({ name: / AS (\S+)$/.exec(rest!)?.[1] ?? '', instructions: [] });
    else stages.at(-1)!.instructions.push({ name: name!, text: rest! });
  }
  return stages;
}

/** Reads `NAME=value` pairs, with or without quotation marks. */
export function parsePairs(text: string): Record<string, string> {
  const pairs = text.matchAll(/([\w.]+)=(?:"([^"]*)"|(\S*))/g);
  return Object.fromEntries([...pairs].map(([, name, quoted, plain]) => [name!, quoted ?? plain!]));
}

/** Returns whether a file is in the context of a build: the last pattern decides that matches it or a folder above it. */
export function contextFilter(dockerignore: string): (path: string) => boolean {
  const patterns = dockerignore
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ pattern: patternOf(line.replace(/^!/, '')), isWanted: line.startsWith('!') }));
  return (path) => {
    const parts = path.split('/');
    const parents = parts.map((_, index) => parts.slice(0, index + 1).join('/'));
    const last = patterns.findLast(({ pattern }) => parents.some((parent) => pattern.test(parent)));
    return last?.isWanted ?? true;
  };
}

/** `*` matches a name or a part of one, also with a dot at its start; a `**` at the start matches any folders. */
function patternOf(glob: string): RegExp {
  const [folders, rest] = glob.startsWith('**/') ? ['(?:.*/)?', glob.slice(3)] : ['', glob];
  return new RegExp(`^${folders}${RegExp.escape(rest).replaceAll('\\*', '[^/]*')}$`);
}
