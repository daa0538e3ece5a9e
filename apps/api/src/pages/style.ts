export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --paper: #f6f7f5;
  --raised: #ffffff;
  --ink: #1c2a2f;
  --quiet: #56666b;
  --line: #d3dad8;
  --edge: #7b8a8d;
  --accent: #17616e;
  --on-accent: #ffffff;
  --good: #1d6b3f;
  --waiting: #8a5a00;
  --problem: #9a3324;
  --problem-paper: #fbeeea;
  --code: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #10181b;
    --raised: #182226;
    --ink: #e6eceb;
    --quiet: #9aa9ac;
    --line: #2a373b;
    --edge: #73868b;
    --accent: #7cc7d2;
    --on-accent: #0b2126;
    --good: #7fd0a0;
    --waiting: #e3b564;
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
main, footer { justify-self: center; width: 100%; max-width: 34rem; min-width: 0 }
main { align-self: center }
footer { padding-top: 1rem; border-top: 1px solid var(--line); color: var(--quiet); font-size: 0.875rem }
svg { display: block; width: 4.25rem; height: auto; margin-bottom: 1.75rem; color: var(--accent) }
h1 { font-size: clamp(1.625rem, 1.2rem + 2.2vw, 2.25rem); line-height: 1.2; letter-spacing: -0.015em; font-weight: 650; text-wrap: balance }
p { margin-top: 1rem; color: var(--quiet); text-wrap: pretty }
a { color: var(--accent); font-weight: 550; text-underline-offset: 0.2em; text-decoration-thickness: 0.08em }
code { font: 0.875em var(--code); color: var(--ink) }
.report code { display: block; margin-top: 0.25rem; font-size: 0.8125rem }
.hint { margin-top: 0.625rem; font-size: 0.9375rem; line-height: 1.5 }
form { margin-top: 2rem }
label { display: block; font-weight: 600 }
input, button { min-height: 3rem; border: 1px solid var(--edge); border-radius: 0.5rem; font: inherit }
input { width: 100%; padding: 0 0.875rem; background: var(--raised); color: var(--ink) }
input[aria-invalid] { border-color: var(--problem); box-shadow: inset 0 0 0 1px var(--problem) }
button { padding: 0 1.375rem; border-color: transparent; background: var(--accent); color: var(--on-accent); font-weight: 600; cursor: pointer }
button:hover { filter: brightness(1.1) }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 3px }
a:focus-visible, summary:focus-visible { border-radius: 2px }
@media (max-width: 30rem) { button { width: 100% } }
@media (forced-colors: active) { button { border-color: ButtonText } }
`;
