export async function tryFaults(_names: readonly string[], _print: (line: string) => void): Promise<number> {
  return 0;
}
