import { createHash } from 'node:crypto';

/** The style sheet of the page. It stands in the page and is allowed by its hash. */
export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --paper: #f6f7f5;
  --raised: #ffffff;
  --ink: #1c2a2f;
  --quiet: #56666b;
  --line: #d3dad8;
  --accent: #17616e;
  --on-accent: #ffffff;
  --good: #1d6b3f;
  --waiting: #8a5a00;
  --problem: #9a3324;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #10181b;
    --raised: #182226;
    --ink: #e6eceb;
    --quiet: #9aa9ac;
    --line: #2a373b;
    --accent: #7cc7d2;
    --on-accent: #0b2126;
    --good: #7fd0a0;
    --waiting: #e3b564;
    --problem: #f0a493;
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
main { align-self: center; justify-self: center; width: 100%; max-width: 40rem; min-width: 0 }
svg { display: block; width: 4.25rem; height: auto; margin-bottom: 1.75rem; color: var(--accent) }
h1 { font-size: clamp(1.625rem, 1.2rem + 2.2vw, 2.25rem); line-height: 1.2; letter-spacing: -0.015em; font-weight: 650; text-wrap: balance }
h1 b { display: block; font-weight: inherit; color: var(--accent); overflow-wrap: anywhere }
h2 { margin-top: 2.5rem; font-size: 1.25rem; line-height: 1.3; font-weight: 650 }
p { margin-top: 1rem; color: var(--quiet); text-wrap: pretty }
.spelling, .hint { margin-top: 0.625rem; font-size: 0.9375rem }
ol { padding: 0; margin-top: 1rem }
code {
  display: inline-block;
  max-width: 100%;
  padding: 0.0625rem 0.375rem;
  border-radius: 0.25rem;
  background: var(--paper);
  box-shadow: inset 0 0 0 1px var(--line);
  font: 0.875em/1.6 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
  color: var(--ink);
  overflow-wrap: anywhere;
  user-select: all;
  -webkit-user-select: all;
  cursor: copy;
}
.status {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  justify-content: space-between;
  gap: 1rem 1.5rem;
  margin-top: 1.75rem;
  padding: 1.125rem 1.25rem;
  border: 1px solid var(--line);
  border-left: 0.25rem solid var(--waiting);
  border-radius: 0.5rem;
  background: var(--raised);
}
.status > div { flex: 1 1 16rem }
.status.success { border-left-color: var(--good) }
.status.failing { border-left-color: var(--problem) }
.status.paused { border-left-color: var(--quiet) }
.status p { margin: 0; font-size: 0.9375rem }
.status .headline { color: var(--ink); font-size: 1.0625rem; font-weight: 650 }
button {
  min-height: 3rem;
  padding: 0 1.375rem;
  border: 1px solid transparent;
  border-radius: 0.5rem;
  background: var(--accent);
  color: var(--on-accent);
  font: inherit;
  font-weight: 600;
  cursor: pointer;
}
button:hover { filter: brightness(1.1) }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 3px }
.records { display: grid; gap: 1rem; list-style: none }
.records li { min-width: 0; padding: 1rem 1.25rem 1.125rem; border: 1px solid var(--line); border-radius: 0.5rem; background: var(--raised) }
.type { display: flex; flex-wrap: wrap; align-items: baseline; justify-content: space-between; gap: 0.25rem 1rem; margin: 0; color: var(--ink) }
.state { color: var(--quiet); font-size: 0.9375rem; font-weight: 600 }
.found .state { color: var(--good) }
.found .state::before { content: "\\2713\\a0" }
.missing .state, .unanswered .state { color: var(--waiting) }
dl { display: grid; grid-template-columns: minmax(4rem, auto) minmax(0, 1fr); gap: 0.5rem 1.25rem; margin-top: 0.75rem }
dt { color: var(--quiet); font-size: 0.9375rem }
dd { display: grid; justify-items: start; gap: 0.375rem; min-width: 0 }
.other { color: var(--quiet); font-size: 0.875rem }
.reason { margin-top: 0.875rem; padding-top: 0.75rem; border-top: 1px solid var(--line); color: var(--ink); font-size: 0.9375rem; overflow-wrap: anywhere }
.steps { padding-left: 1.5rem }
.steps li { margin-top: 0.5rem; padding-left: 0.375rem; color: var(--quiet) }
.steps li::marker { color: var(--accent); font-weight: 650 }
footer {
  justify-self: center;
  width: 100%;
  max-width: 40rem;
  padding-top: 1rem;
  border-top: 1px solid var(--line);
  color: var(--quiet);
  font-size: 0.875rem;
}
@media (max-width: 30rem) {
  dl { grid-template-columns: minmax(0, 1fr); gap: 0.25rem }
  dd + dt { margin-top: 0.5rem }
  .status form, button { width: 100% }
}
@media (forced-colors: active) { button { border-color: ButtonText } code { border: 1px solid } }
`;

/** The source expression by which a Content-Security-Policy allows {@link PAGE_STYLE}. */
export const PAGE_STYLE_HASH = `'sha256-${createHash('sha256').update(PAGE_STYLE).digest('base64')}'`;
