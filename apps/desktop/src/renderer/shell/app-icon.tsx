/** The icon of the app. @param size The width and height, in pixels. */
export function AppIcon({ size = 22 }: { size?: number }) {
  return (
    <svg viewBox="0 0 16 16" width={size} height={size} aria-hidden>
      <rect width="16" height="16" rx="4" fill="var(--accent)" />
      <g fill="var(--on-accent)">
        <path d="M6 5h4v3q0 2 1 4H5q1-2 1-4z" />
        <rect x="4" y="2.5" width="8" height="2.5" rx="1.25" />
        <rect x="3" y="11.5" width="10" height="2" rx="1" />
      </g>
      <path d="M5.5 7.9h5" stroke="var(--accent)" strokeWidth="1.3" />
    </svg>
  );
}
