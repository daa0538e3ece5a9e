/** A text as HTML, also between quotes. Source: security T17. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** A text as a paragraph of HTML. */
export function paragraph(text: string): string {
  return `<p>${escapeHtml(text)}</p>`;
}

/** The paragraph, as HTML, that names a request for somebody who reports it; empty when the request has no id. */
export function reportNote(requestId: string): string {
  if (requestId === '') return '';
  return `<p class="report">If it happens again, give this number to whoever runs the service: <code>${escapeHtml(requestId)}</code></p>`;
}
