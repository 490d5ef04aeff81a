import { ChevronRight } from 'lucide-react';
import { useRef, useState, type KeyboardEvent } from 'react';
import { useDebugText } from '../text/debug-text.ts';
import { useSavedState } from '../ui/use-saved-state.ts';
import { PAGE, toParent, toRows, type OpenNodes, type TreeNode, type TreeRow } from './tree-rows.ts';

interface TreeProps {
  label: string;
  nodes: readonly TreeNode[];
  /** Under which name the open nodes are remembered. */
  saved: string;
  /** What is open at first. Default: nothing. */
  initial?: OpenNodes;
  /** Called with the node that gets the focus. */
  onCurrent?: (node: TreeNode) => void;
}

const NOTHING: OpenNodes = new Map();

/** A tree with the keys of a tree view: arrows, Home, End, Enter and Space. Only the lines of open nodes exist. */
export function Tree({ label, nodes, saved, initial = NOTHING, onCurrent }: TreeProps) {
  const t = useDebugText();
  const [open, setOpen] = useSavedState<OpenNodes>(`tree ${saved}`, initial);
  const [current, setCurrent] = useState('0');
  const tree = useRef<HTMLDivElement>(null);
  const rows = toRows(nodes, open);
  const at = Math.max(
    0,
    rows.findIndex(({ key }) => key === current),
  );

  const toggle = (row: TreeRow, isOpen = !row.isOpen) => {
    const next = new Map(open);
    if (row.kind === 'more') next.set(toParent(row), (open.get(toParent(row)) ?? PAGE) + PAGE);
    else if (row.isOpen === undefined) return;
    else if (isOpen) next.set(row.key, PAGE);
    else next.delete(row.key);
    setOpen(next);
  };
  const focus = (target: number) => {
    const row = rows[Math.min(Math.max(target, 0), rows.length - 1)];
    if (!row) return;
    setCurrent(row.key);
    tree.current?.querySelector<HTMLElement>(`[data-row="${row.key}"]`)?.focus();
  };
  const press = (event: KeyboardEvent) => {
    const row = rows[at];
    if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
    const actions: Record<string, () => void> = {
      ArrowDown: () => focus(at + 1),
      ArrowUp: () => focus(at - 1),
      Home: () => focus(0),
      End: () => focus(rows.length - 1),
      ArrowRight: () => (row.isOpen ? focus(at + 1) : toggle(row, true)),
      ArrowLeft: () => (row.isOpen ? toggle(row, false) : focus(rows.findIndex(({ key }) => key === toParent(row)))),
      Enter: () => toggle(row),
      ' ': () => toggle(row),
    };
    const act = actions[event.key];
    if (!act || (event.key === 'ArrowLeft' && !row.isOpen && row.level === 1)) return;
    event.preventDefault();
    // The keys of the page do not see it.
    event.stopPropagation();
    act();
  };

  if (rows.length === 0) return <p className="muted small">{t.none}</p>;
  return (
    <div className="tree" role="tree" aria-label={label} ref={tree} onKeyDown={press}>
      {rows.map((row, index) => (
        <TreeLine
          key={row.key}
          row={row}
          isCurrent={index === at}
          onFocus={() => {
            setCurrent(row.key);
            if (row.node) onCurrent?.(row.node);
          }}
          onClick={() => toggle(row)}
        />
      ))}
    </div>
  );
}

interface TreeLineProps {
  row: TreeRow;
  isCurrent: boolean;
  onFocus: () => void;
  onClick: () => void;
}

function TreeLine({ row, isCurrent, onFocus, onClick }: TreeLineProps) {
  const t = useDebugText();
  const { key, level, position, siblings, kind, node, isOpen, count = 0 } = row;
  return (
    <div
      className={`tree-row ${node?.isMuted ? 'muted' : ''}`}
      style={{ paddingInlineStart: `${(level - 1) * 14}px` }}
      role="treeitem"
      data-row={key}
      aria-level={level}
      aria-posinset={position}
      aria-setsize={siblings}
      aria-expanded={isOpen}
      tabIndex={isCurrent ? 0 : -1}
      onFocus={onFocus}
      onClick={onClick}
    >
      <span className="tree-mark">
        {isOpen === undefined ? null : <ChevronRight size={14} className="fold-mark muted" />}
      </span>
      {node ? (
        <span className="tree-words">
          <span className="mono tree-name">{node.name}</span> <span className="mono">{node.text}</span>{' '}
          <span className="muted small">{node.notes.join(' · ')}</span>
        </span>
      ) : (
        <span className={kind === 'more' ? 'accent small' : 'muted small'}>
          {kind === 'more' ? t.more(count) : t.omitted(count)}
        </span>
      )}
    </div>
  );
}
