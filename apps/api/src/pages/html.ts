/** Escapes a text for HTML, also within quoted attributes. Source: security T17. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Renders a text as a paragraph of HTML. */
export function paragraph(text: string): string {
  return `<p>${escapeHtml(text)}</p>`;
}

/** Renders a paragraph with the request id, which the user can report; empty if the request has no id. */
export function reportNote(requestId: string): string {
  if (requestId === '') return '';
  return `<p class="report">If this happens again, send this number to the operator of the service: <code>${escapeHtml(requestId)}</code></p>`;
}
