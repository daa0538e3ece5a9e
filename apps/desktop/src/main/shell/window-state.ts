import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Rectangle } from 'electron';
import { z } from 'zod';

/** The smallest window in which everything has its place. */
export const MIN_SIZE = { width: 640, height: 480 };

const DEFAULT_SIZE = { width: 1_040, height: 720 };

/** How much of the window has to be on a display, each way, so that it can be found and moved. */
const SEEN = 100;

const Side = z.int().min(-100_000).max(100_000);
const WindowState = z.object({
  x: Side.optional(),
  y: Side.optional(),
  width: Side,
  height: Side,
  maximized: z.boolean(),
});

/** Where the window was when it was last closed. Without a position it goes where the system puts it. */
export type WindowState = z.infer<typeof WindowState>;

/** What is remembered of the window; the size for a first start when nothing is. */
export function readWindowState(file: string): WindowState {
  try {
    return WindowState.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return { ...DEFAULT_SIZE, maximized: false };
  }
}

/** Remembers where the window is. A disk that is full costs the place of the window, and no more. */
export function writeWindowState(file: string, bounds: Rectangle, maximized: boolean): void {
  const state: WindowState = { ...bounds, maximized };
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(`${file}.new`, JSON.stringify(state));
    renameSync(`${file}.new`, file);
  } catch {
    // The next start has the default size.
  }
}

/**
 * Makes a remembered window fit the displays that are there: not larger than the one it is on, and placed by the system when
 * the one it was on is gone.
 *
 * @param areas The parts of the displays that windows may use.
 */
export function fitWindow(state: WindowState, areas: readonly Rectangle[]): WindowState {
  const home = areas.find((area) => isSeenOn({ ...state, ...sizeOn(area, state) }, area));
  const { x: _x, y: _y, ...placeless } = state;
  const size = sizeOn(home ?? areas[0] ?? DEFAULT_SIZE, state);
  return home === undefined ? { ...placeless, ...size } : { ...state, ...size };
}

function sizeOn(area: Pick<Rectangle, 'height' | 'width'>, state: WindowState): Pick<Rectangle, 'height' | 'width'> {
  return {
    width: Math.max(MIN_SIZE.width, Math.min(state.width, area.width)),
    height: Math.max(MIN_SIZE.height, Math.min(state.height, area.height)),
  };
}

/** Whether enough of the window, and of its upper edge by which it is moved, is on a display. */
function isSeenOn({ x, y, width }: WindowState, area: Rectangle): boolean {
  if (x === undefined || y === undefined) return false;
  const across = Math.min(x + width, area.x + area.width) - Math.max(x, area.x);
  return across >= SEEN && y >= area.y && y + SEEN <= area.y + area.height;
}
