import type { Conversation } from '@klaus/core/conversation';
import { ChevronRight, Circle, CircleCheck, CircleDot } from 'lucide-react';
import { memo, useId, useLayoutEffect, useRef } from 'react';
import { useText } from '../text/text.ts';
import { useSavedState } from '../ui/use-saved-state.ts';
import './todo-panel.css';

type TodoList = NonNullable<Conversation['todoList']>;

/** The icon and the colour of each status of an item. */
const MARKS = {
  done: { Icon: CircleCheck, look: 'good' },
  in_progress: { Icon: CircleDot, look: 'accent' },
  pending: { Icon: Circle, look: 'muted' },
} satisfies Record<TodoList['todos'][number]['status'], unknown>;

/** Pixels above the current item that remain visible in a long list. */
const ABOVE = 28;

/**
 * The checklist of the agent; nothing when no item is left. The user can fold it to its heading, which then shows the
 * current item. In a long list, the current item is in view.
 */
export const TodoPanel = memo(function TodoPanel({ list }: { list: TodoList | undefined }) {
  const t = useText();
  const id = useId();
  const rows = useRef<HTMLUListElement>(null);
  const [isOpen, setOpen] = useSavedState('todo list', true);
  const todos = list?.todos ?? [];
  const current = todos.findIndex(({ status }) => status !== 'done');
  useLayoutEffect(() => {
    const element = rows.current;
    const row = element?.children[current];
    if (!element || !(row instanceof HTMLElement)) return;
    // Observed, because rows wrap in a narrower window. The first size is reported too.
    const observer = new ResizeObserver(() => (element.scrollTop = row.offsetTop - ABOVE));
    observer.observe(element);
    return () => observer.disconnect();
  }, [list, current, isOpen]);
  if (current < 0) return null;
  const done = todos.filter(({ status }) => status === 'done').length;
  return (
    <section className="todos in-column" aria-labelledby={`${id}-title`}>
      <button
        type="button"
        className="todos-head bare line"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        <ChevronRight size={14} className="fold-mark muted" />
        <span id={`${id}-title`} className="todos-title">
          {t.todos.label}
        </span>
        <span className="todos-count muted number">{t.todos.progress(done, todos.length)}</span>
        {isOpen ? null : <span className="muted ellipsis">{todos[current]!.text}</span>}
      </button>
      {isOpen ? (
        // Without the role, Safari does not treat a list without marks as a list.
        <ul ref={rows} id={id} className="todos-list" role="list" tabIndex={0} aria-labelledby={`${id}-title`}>
          {todos.map(({ status, text }, at) => {
            const { Icon, look } = MARKS[status];
            return (
              <li key={at} className="todo" aria-current={status === 'in_progress' ? 'step' : undefined}>
                <span className={`inline ${look}`} role="img" aria-label={t.todos[status]} title={t.todos[status]}>
                  <Icon size={14} aria-hidden />
                </span>
                <span className={status === 'in_progress' ? 'todo-text' : 'todo-text muted'}>{text}</span>
              </li>
            );
          })}
        </ul>
      ) : null}
    </section>
  );
});
