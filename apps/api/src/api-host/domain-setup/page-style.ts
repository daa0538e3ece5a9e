export const SETUP_STYLE = `
main, footer { max-width: 40rem }
h1 b { display: block; font-weight: inherit; color: var(--accent); overflow-wrap: anywhere }
h2 { margin-top: 2.5rem; font-size: 1.25rem; line-height: 1.3; font-weight: 650 }
ol { padding: 0; margin-top: 1rem }
code {
  display: inline-block;
  max-width: 100%;
  padding: 0.0625rem 0.375rem;
  border-radius: 0.25rem;
  background: var(--paper);
  box-shadow: inset 0 0 0 1px var(--line);
  line-height: 1.6;
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
.status form { margin: 0 }
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
@media (max-width: 30rem) {
  dl { grid-template-columns: minmax(0, 1fr); gap: 0.25rem }
  dd + dt { margin-top: 0.5rem }
  .status form { width: 100% }
}
@media (forced-colors: active) { code { border: 1px solid } }
`;
