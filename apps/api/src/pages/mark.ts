// A mooring post with a rope around it, above the water.
const LINES =
  '<rect x="14" y="9" width="20" height="6.5" rx="3.25"/><path d="M18.5 15.5 17 33M29.5 15.5 31 33"/>' +
  '<path d="M18 22c4 2 8.5 2 12 0M17.5 26.5c8 3.5 18 1 26.5-5.5"/><path d="M4 33h40"/>' +
  '<path d="M4 40c3.3-2.6 6.7-2.6 10 0s6.7 2.6 10 0 6.7-2.6 10 0 6.7 2.6 10 0"/>';

/** The logo of the service, in the text colour. */
export const PAGE_MARK = `<svg width="68" height="62" viewBox="3 6 42 38" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${LINES}</svg>`;

/** The logo as a favicon: a `data:` URL. */
export const PAGE_ICON = `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="3 4 42 42" fill="none" stroke="#3d8b98" stroke-width="3">${LINES}</svg>`)}`;
