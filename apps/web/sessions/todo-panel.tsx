import type { Conversation } from '@klaus/core/conversation';
import { Circle, CircleCheck, CircleDot } from 'lucide-react';
import { memo, useLayoutEffect, useRef } from 'react';
import { useText } from '../text/text.ts';
import { FoldedPanel } from './folded-panel.tsx';
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
  const t = useText().todos;
  const todos = list?.todos ?? [];
  const current = todos.findIndex(({ status }) => status !== 'done');
  if (current < 0) return null;
  const done = todos.filter(({ status }) => status === 'done').length;
  return (
    <FoldedPanel
      label={t.label}
      saved="todo list"
      isOpenAtFirst
      facts={<span className="muted number">{t.progress(done, todos.length)}</span>}
      summary={<span className="muted ellipsis">{todos[current]!.text}</span>}
    >
      <Todos todos={todos} current={current} />
    </FoldedPanel>
  );
});

function Todos({ todos, current }: Pick<TodoList, 'todos'> & { current: number }) {
  const t = useText().todos;
  const rows = useRef<HTMLUListElement>(null);
  useLayoutEffect(() => {
    const element = rows.current;
    const row = element?.children[current];
    if (!element || !(row instanceof HTMLElement)) return;
    // Observed, because rows wrap in a narrower window. The first size is reported too.
    const observer = new ResizeObserver(() => (element.scrollTop = row.offsetTop - ABOVE));
    observer.observe(element);
    return () => observer.disconnect();
  }, [todos, current]);
  return (
    // Without the role, Safari does not treat a list without marks as a list.
    <ul ref={rows} className="todos-list" role="list" tabIndex={0} aria-label={t.label}>
      {todos.map(({ status, text }, at) => {
        const { Icon, look } = MARKS[status];
        return (
          <li key={at} className="todo" aria-current={status === 'in_progress' ? 'step' : undefined}>
            <span className={`inline ${look}`} role="img" aria-label={t[status]} title={t[status]}>
              <Icon size={14} aria-hidden />
            </span>
            <span className={status === 'in_progress' ? 'todo-text' : 'todo-text muted'}>{text}</span>
          </li>
        );
      })}
    </ul>
  );
}
