export const CLAIM_STYLE = `
input { margin-top: 0.5rem; font: 1rem/1.5 var(--code) }
button { margin-top: 1.25rem }
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
  font: 0.8125rem/1.6 var(--code);
  overflow-x: auto;
  overscroll-behavior-x: contain;
}
`;
