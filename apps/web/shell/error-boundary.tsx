import { CircleAlert } from 'lucide-react';
import { Component, type ReactNode } from 'react';
import { text } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';

interface ErrorBoundaryProps {
  children: ReactNode;
  /** True if the message contains the first heading of the page. */
  isPage?: boolean;
}

export class ErrorBoundary extends Component<ErrorBoundaryProps, { error: unknown }> {
  override state: { error: unknown } = { error: undefined };

  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    if (this.state.error === undefined) return this.props.children;
    const t = text();
    return (
      <div role="alert">
        <Empty
          icon={<CircleAlert size={20} className="bad" />}
          title={t.app.broken}
          hint={t.app.brokenHint}
          isPage={this.props.isPage ?? false}
        >
          <Button onClick={() => location.reload()}>{t.app.reload}</Button>
        </Empty>
      </div>
    );
  }
}
