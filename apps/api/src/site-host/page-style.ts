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
  --field: #ffffff;
  --edge: #7b8a8d;
  --problem: #a32a1f;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #10181b;
    --ink: #e6eceb;
    --quiet: #9aa9ac;
    --line: #2a373b;
    --accent: #7cc7d2;
    --field: #172226;
    --edge: #73868b;
    --problem: #ffa59a;
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
form { margin-top: 2rem }
label { display: block; color: var(--ink); font-weight: 600 }
form p { margin-top: 0.375rem; color: var(--problem); font-weight: 550 }
form div { display: flex; flex-wrap: wrap; gap: 0.75rem; margin-top: 0.625rem }
input, button { min-height: 3rem; border-radius: 0.5rem; font: inherit }
input {
  flex: 1 1 14rem;
  min-width: 0;
  padding: 0 0.875rem;
  border: 1px solid var(--edge);
  background: var(--field);
  color: var(--ink);
}
input[aria-invalid] { border-color: var(--problem); box-shadow: inset 0 0 0 1px var(--problem) }
button {
  flex: 0 1 auto;
  padding: 0 1.375rem;
  border: 1px solid transparent;
  background: var(--accent);
  color: var(--paper);
  font-weight: 600;
  cursor: pointer;
}
button:hover { filter: brightness(1.1) }
input:focus-visible, button:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
@media (max-width: 30rem) { button { flex-grow: 1 } }
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
