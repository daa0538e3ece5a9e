/** What starts the app: the program that runs, or the AppImage around it, as what is inside of one is gone when it ends. */
export function programOf(env: NodeJS.ProcessEnv, execPath: string): string {
  return env['APPIMAGE'] || execPath;
}
