import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { isProblemError } from '@klaus/server/client';
import { messageOf } from '@klaus/core/message-of';
import { useText } from '../text/text.ts';
import { Button } from './button.tsx';
import type { Query } from './use-query.ts';

interface EmptyProps {
  icon?: ReactNode;
  title: string;
  hint?: string;
  /** True if the title is the first heading of the page. */
  isPage?: boolean;
  children?: ReactNode;
}

export function Empty({ icon, title, hint, isPage = false, children }: EmptyProps) {
  return (
    <div className="empty column muted">
      {icon}
      {isPage ? <h1 className="empty-title">{title}</h1> : <p className="empty-title">{title}</p>}
      {hint === undefined ? null : <p className="empty-hint">{hint}</p>}
      {children}
    </div>
  );
}

/** The placeholder of a view that failed to load, with the error of the server and a retry button. */
export function Failed({ title, error, retry }: { title: string; error: unknown; retry?: () => void }) {
  const t = useText();
  return (
    <div role="alert">
      <Empty icon={<CircleAlert size={20} className="bad" />} title={title} hint={toReason(error)}>
        {retry ? <Button onClick={retry}>{t.app.retry}</Button> : null}
      </Empty>
    </div>
  );
}

export function Loading({ rows = 4 }: { rows?: number }) {
  const t = useText();
  return (
    <div className="skeleton column" role="status" aria-label={t.app.loading}>
      {Array.from({ length: rows }, (_, at) => (
        <div key={at} className="skeleton-row" />
      ))}
    </div>
  );
}

export function Pending({ query, title, rows }: { query: Query<unknown>; title: string; rows: number }) {
  const { value, error, refetch } = query;
  if (error !== undefined) return <Failed title={title} error={error} retry={refetch} />;
  return value === undefined ? <Loading rows={rows} /> : null;
}

export function toReason(error: unknown): string {
  if (isProblemError(error)) {
    const { title, detail } = error.problem;
    return detail === undefined ? title : `${title} ${detail}`;
  }
  return messageOf(error);
}
