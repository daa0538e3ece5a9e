/** The program that starts the app. For an AppImage it is the image, because the program inside vanishes when the app ends. */
export function programOf(env: NodeJS.ProcessEnv, execPath: string): string {
  return env['APPIMAGE'] || execPath;
}
