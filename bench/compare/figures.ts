/**
 * The numbers of the printed tables, by name. A name consists of row, column and position in the cell, and is the same
 * in every run.
 */
export type Figures = ReadonlyMap<string, number>;

/** The names of the columns that contain no measurements. */
const UNMEASURED_COLUMNS = new Set(['', 'goal']);
/** Matches a number with its unit, unless the number is part of a word, such as `p99`. */
const NUMBER = /(?<![\w.])(\d[\d,]*(?:\.\d+)?) ?(MiB\/s|MiB|ms|x|%)?/g;

/** Reads every measured number from the tables that a bench prints. */
export function readFigures(output: string): Figures {
  const figures = new Map<string, number>();
  let columns: string[] | null = null;
  for (const line of output.split('\n')) {
    const cells = line.startsWith('|') ? cellsOf(line) : null;
    if (cells === null) columns = null;
    else if (columns === null) columns = cells;
    else if (!line.startsWith('|--')) readRow(columns, cells, figures);
  }
  return figures;
}

function cellsOf(line: string): string[] {
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}

function readRow(columns: readonly string[], [row, ...cells]: readonly string[], figures: Map<string, number>): void {
  for (const [i, cell] of cells.entries()) {
    const column = columns[i + 1] ?? '';
    if (UNMEASURED_COLUMNS.has(column)) continue;
    for (const [position, [, number, unit = '']] of [...cell.matchAll(NUMBER)].entries())
      figures.set(`${row} | ${column}${position === 0 ? '' : `, ${position + 1}`} ${unit}`.trim(), readNumber(number!));
  }
}

function readNumber(text: string): number {
  return Number(text.replaceAll(',', ''));
}
