import { Button } from '@berth/ui/components/button';
import { Component, type ReactNode } from 'react';

/**
 * Shows what to do when a page cannot be loaded or fails. After an update of the server, the modules of the page that is open no
 * longer exist, so that reloading it helps.
 */
export class PageBoundary extends Component<{ children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render() {
    if (!this.state.hasFailed) return this.props.children;
    return (
      <div className="page-note" role="alert">
        <h1>This page could not be shown</h1>
        <p>The server may have been updated since you opened it, or the connection is interrupted.</p>
        <Button label="Reload" variant="primary" onClick={() => location.reload()} />
      </div>
    );
  }
}
