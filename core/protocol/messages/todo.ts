import { z } from 'zod';

export const todoSchema = z.object({
  text: z.string(),
  status: z.enum(['pending', 'in_progress', 'done']),
});
/** One item of the todo list that an agent keeps. */
export type Todo = z.infer<typeof todoSchema>;

/** The todo list of a session, with the call that set it. */
export interface TodoList {
  readonly turn: number;
  /** Position of the call in its message. */
  readonly index: number;
  readonly todos: readonly Todo[];
}

/** The list after a call. Calls of one message may end in any order: the last one in call order counts. */
export function toTodoList(
  list: TodoList | undefined,
  { turn, index, todos }: { turn: number; index: number; todos?: readonly Todo[] },
): TodoList | undefined {
  if (!todos || (list && list.turn === turn && list.index > index)) return list;
  return { turn, index, todos };
}
