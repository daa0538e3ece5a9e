import { createHash } from 'node:crypto';

/** The one style sheet of the built-in pages. It stands in the page and is allowed by its hash. */
export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --paper: #f6f7f5;
  --ink: #1c2a2f;
  --quiet: #56666b;
  --line: #d3dad8;
  --accent: #17616e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #10181b;
    --ink: #e6eceb;
    --quiet: #9aa9ac;
    --line: #2a373b;
    --accent: #7cc7d2;
  }
}
* { box-sizing: border-box; margin: 0 }
html { height: 100%; -webkit-text-size-adjust: 100% }
body {
  min-height: 100%;
  display: grid;
  grid-template-rows: 1fr auto;
  gap: 2rem;
  padding: clamp(1.5rem, 6vw, 4rem);
  background: var(--paper);
  color: var(--ink);
  font: 1.0625rem/1.6 ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
  overflow-wrap: break-word;
}
main { align-self: center; justify-self: center; width: 100%; max-width: 34rem }
svg { display: block; width: 4.25rem; height: auto; margin-bottom: 1.75rem; color: var(--accent) }
h1 { font-size: clamp(1.625rem, 1.2rem + 2.2vw, 2.25rem); line-height: 1.2; letter-spacing: -0.015em; font-weight: 650; text-wrap: balance }
p { margin-top: 1rem; color: var(--quiet); text-wrap: pretty }
a { color: var(--accent); font-weight: 550; text-underline-offset: 0.2em; text-decoration-thickness: 0.08em }
a:focus-visible { outline: 2px solid var(--accent); outline-offset: 4px; border-radius: 2px }
code { font: 0.875em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; color: var(--ink) }
footer {
  justify-self: center;
  width: 100%;
  max-width: 34rem;
  padding-top: 1rem;
  border-top: 1px solid var(--line);
  color: var(--quiet);
  font-size: 0.875rem;
}
`;

/** The source expression by which a Content-Security-Policy allows {@link PAGE_STYLE}. */
export const PAGE_STYLE_HASH = `'sha256-${createHash('sha256').update(PAGE_STYLE).digest('base64')}'`;
