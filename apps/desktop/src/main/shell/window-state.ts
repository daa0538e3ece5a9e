import { readFileSync } from 'node:fs';
import { replaceFileSync } from '@berth/client/replace-file';
import type { Rectangle } from 'electron';
import { z } from 'zod';

/** The minimum size of the window, in which the whole page still fits. */
export const MIN_SIZE = { width: 640, height: 480 };

const DEFAULT_SIZE = { width: 1_040, height: 720 };

/** How many pixels of the window must be visible in each direction, so that the user can find and move the window. */
const MIN_VISIBLE = 100;

const Side = z.int().min(-100_000).max(100_000);
const WindowState = z.object({
  x: Side.optional(),
  y: Side.optional(),
  width: Side,
  height: Side,
  maximized: z.boolean(),
});

/** The place of the window when it was last closed. Without a position, the system places the window. */
type WindowState = z.infer<typeof WindowState>;

/** Reads the stored place of the window. Falls back to the default size. */
export function readWindowState(file: string): WindowState {
  try {
    return WindowState.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return { ...DEFAULT_SIZE, maximized: false };
  }
}

/** Stores the place of the window. Ignores errors, such as a full disk. */
export function writeWindowState(file: string, bounds: Rectangle, maximized: boolean): void {
  const state: WindowState = { ...bounds, maximized };
  try {
    replaceFileSync(file, JSON.stringify(state));
  } catch {
    // Without the file, the next start uses the default size.
  }
}

/**
 * Fits a stored window to the current displays. The window becomes no larger than its display. If the display is gone, the system
 * places the window. @param areas The work areas of the displays.
 */
export function fitWindow(state: WindowState, areas: readonly Rectangle[]): WindowState {
  const visibleArea = areas.find((candidate) => isVisibleOn({ ...state, ...sizeOn(candidate, state) }, candidate));
  const { x: _x, y: _y, ...placeless } = state;
  const size = sizeOn(visibleArea ?? areas[0] ?? DEFAULT_SIZE, state);
  return visibleArea === undefined ? { ...placeless, ...size } : { ...state, ...size };
}

function sizeOn(area: Pick<Rectangle, 'height' | 'width'>, state: WindowState): Pick<Rectangle, 'height' | 'width'> {
  return {
    width: Math.max(MIN_SIZE.width, Math.min(state.width, area.width)),
    height: Math.max(MIN_SIZE.height, Math.min(state.height, area.height)),
  };
}

/** True if enough of the window, including its title bar, is on a display. */
function isVisibleOn({ x, y, width }: WindowState, area: Rectangle): boolean {
  if (x === undefined || y === undefined) return false;
  const visibleWidth = Math.min(x + width, area.x + area.width) - Math.max(x, area.x);
  return visibleWidth >= MIN_VISIBLE && y >= area.y && y + MIN_VISIBLE <= area.y + area.height;
}
