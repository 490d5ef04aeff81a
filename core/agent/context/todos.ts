import type { Message, Todo, TodoList } from '../../protocol/index.ts';

const ID = 'todos-';
const MARKS: Readonly<Record<Todo['status'], string>> = { pending: '[ ]', in_progress: '[>]', done: '[x]' };

/** The todo list as text, one item a line. */
function toTodoText(todos: readonly Todo[]): string {
  return todos.map(({ text, status }) => `${MARKS[status]} ${text}`).join('\n');
}

/** The present list for the history after a compaction; undefined if nothing is left to do. */
export function toTodoMessage(list: TodoList | undefined, seq: number): Message | undefined {
  if (!list?.todos.some(({ status }) => status !== 'done')) return undefined;
  const text = `Your todo list, as todo_write last set it:\n<todos>\n${toTodoText(list.todos)}\n</todos>`;
  return { id: `${ID}${seq}`, role: 'user', origin: 'engine', parts: [{ type: 'text', text }] };
}

export function isTodoMessage({ id }: Message): boolean {
  return id.startsWith(ID);
}
