/** Resolves in a later task, so that the page can render and handle events before. */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
