// Runs in every browser before the page, so it uses only what the oldest browsers have. It checks the newest features that the console
// needs: those of Chrome, Edge and Firefox 126, and of Safari 18. The document names these versions.
if (
  !(
    window.URL &&
    URL.parse &&
    window.Promise &&
    Promise.withResolvers &&
    Array.fromAsync &&
    window.AbortSignal &&
    AbortSignal.any &&
    HTMLElement.prototype.showPopover &&
    window.CSS &&
    CSS.supports('color', 'light-dark(red, red)')
  )
) {
  document.getElementById('root').hidden = true;
  document.getElementById('old-browser').hidden = false;
}
