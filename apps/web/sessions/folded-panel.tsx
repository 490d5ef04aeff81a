import { ChevronRight, type LucideIcon } from 'lucide-react';
import { useId, type ReactNode } from 'react';
import { useSavedState } from '../ui/use-saved-state.ts';
import './folded-panel.css';

interface FoldedPanelProps {
  label: string;
  /** The key of its state. */
  saved: string;
  /** Default: false. */
  isOpenAtFirst?: boolean;
  icon?: LucideIcon;
  /** Beside the label. */
  facts?: ReactNode;
  /** What the folded panel shows of its content. */
  summary?: ReactNode;
  children: ReactNode;
}

/** A panel above the message field that is folded to one line. */
export function FoldedPanel({ label, saved, isOpenAtFirst = false, ...props }: FoldedPanelProps) {
  const { icon: Icon, facts, summary, children } = props;
  const id = useId();
  const [isOpen, setOpen] = useSavedState(saved, isOpenAtFirst);
  return (
    <section className="folded-panel in-column" aria-label={label}>
      <button
        type="button"
        className="folded-panel-head bare line"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        <ChevronRight size={14} className="fold-mark muted" />
        {Icon ? <Icon size={14} className="muted" aria-hidden /> : null}
        <span className="folded-panel-title">{label}</span>
        {facts}
        {isOpen ? null : summary}
      </button>
      {isOpen ? <div id={id}>{children}</div> : null}
    </section>
  );
}
