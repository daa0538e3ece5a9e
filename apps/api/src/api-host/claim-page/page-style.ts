import { createHash } from 'node:crypto';

/** The style sheet of the claim page. It stands in the page and is allowed by its hash. */
export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --paper: #f6f7f5;
  --raised: #ffffff;
  --ink: #1c2a2f;
  --quiet: #56666b;
  --line: #d3dad8;
  --edge: #7f8f92;
  --accent: #17616e;
  --on-accent: #ffffff;
  --problem: #9a3324;
  --problem-paper: #fbeeea;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #10181b;
    --raised: #182226;
    --ink: #e6eceb;
    --quiet: #9aa9ac;
    --line: #2a373b;
    --edge: #6d7e83;
    --accent: #7cc7d2;
    --on-accent: #0b2126;
    --problem: #f0a493;
    --problem-paper: #2b1a17;
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
main { align-self: center; justify-self: center; width: 100%; max-width: 34rem; min-width: 0 }
svg { display: block; width: 4.25rem; height: auto; margin-bottom: 1.75rem; color: var(--accent) }
h1 { font-size: clamp(1.625rem, 1.2rem + 2.2vw, 2.25rem); line-height: 1.2; letter-spacing: -0.015em; font-weight: 650; text-wrap: balance }
p { margin-top: 1rem; color: var(--quiet); text-wrap: pretty }
a { color: var(--accent); font-weight: 550; text-underline-offset: 0.2em; text-decoration-thickness: 0.08em }
code { font: 0.875em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; color: var(--ink) }
form { margin-top: 2rem }
label { display: block; font-weight: 600 }
input {
  display: block;
  width: 100%;
  margin-top: 0.5rem;
  padding: 0.75rem 0.875rem;
  border: 1px solid var(--edge);
  border-radius: 0.5rem;
  background: var(--raised);
  color: var(--ink);
  font: 1rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
}
input[aria-invalid] { border-color: var(--problem) }
.hint { margin-top: 0.5rem; font-size: 0.9375rem; line-height: 1.5 }
button {
  display: inline-block;
  margin-top: 1.25rem;
  padding: 0.75rem 1.375rem;
  border: 1px solid transparent;
  border-radius: 0.5rem;
  background: var(--accent);
  color: var(--on-accent);
  font: inherit;
  font-weight: 600;
  cursor: pointer;
}
button:hover { filter: brightness(1.12) }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 3px }
a:focus-visible, summary:focus-visible { border-radius: 2px }
.problem {
  margin-top: 1.75rem;
  padding: 0.875rem 1.125rem 1rem;
  border-left: 0.25rem solid var(--problem);
  border-radius: 0.25rem;
  background: var(--problem-paper);
}
.problem h2 { font-size: 1.0625rem; line-height: 1.5; font-weight: 650; color: var(--problem) }
.problem p { margin-top: 0.25rem; color: var(--ink) }
.site { margin-top: 1.5rem; font-size: 1.125rem }
details { margin-top: 2.25rem; padding-top: 1.25rem; border-top: 1px solid var(--line) }
summary { color: var(--quiet); cursor: pointer; width: fit-content }
pre {
  margin-top: 0.75rem;
  padding: 0.875rem 1rem;
  border: 1px solid var(--line);
  border-radius: 0.5rem;
  background: var(--raised);
  font: 0.8125rem/1.6 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
  overflow-x: auto;
  overscroll-behavior-x: contain;
}
footer {
  justify-self: center;
  width: 100%;
  max-width: 34rem;
  padding-top: 1rem;
  border-top: 1px solid var(--line);
  color: var(--quiet);
  font-size: 0.875rem;
}
@media (forced-colors: active) { button { border-color: ButtonText } }
`;

/** The source expression by which a Content-Security-Policy allows {@link PAGE_STYLE}. */
export const PAGE_STYLE_HASH = `'sha256-${createHash('sha256').update(PAGE_STYLE).digest('base64')}'`;
