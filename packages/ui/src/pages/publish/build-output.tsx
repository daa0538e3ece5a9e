import './build-output.css';
import type { Publishing } from '../../publishing.ts';

/** The command and the end of the output of a build. The newest lines are visible. */
export function BuildOutput({ build, isOpen = false }: Pick<Publishing, 'build'> & { isOpen?: boolean }) {
  if (!build) return null;
  return (
    <details className="build-output" open={isOpen}>
      <summary className="small">
        Output of <code>{build.command}</code>
      </summary>
      <div className="build-text">
        {/* The keyboard can scroll a region only if it can have the focus. */}
        <pre className="small selectable" tabIndex={0} aria-label="Output of the build">
          {build.text.trim() || 'Starting…'}
        </pre>
      </div>
    </details>
  );
}
