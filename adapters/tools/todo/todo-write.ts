import { headOf } from '@klaus/core/cut-text';
import { todoSchema, type Todo } from '@klaus/core/protocol';
import { z } from 'zod';
import { defineBuiltinTool } from '../builtin-tool.ts';

const MAX_TODOS = 100;
const MAX_TEXT = 500;

const inputSchema = z.object({
  todos: z
    .array(todoSchema.extend({ text: z.string().min(1).max(MAX_TEXT) }))
    .max(MAX_TODOS)
    .refine((todos) => count(todos, 'in_progress') <= 1, 'At most one item may be in_progress.'),
});

/** Replaces the todo list of the session. It reaches nothing outside of the log. */
export const todoWrite = defineBuiltinTool<z.infer<typeof inputSchema>>({
  name: 'todo_write',
  description:
    'Replace your todo list, which the user sees. Use it for tasks of three or more steps; at most one in_progress. Mark an item done as soon as it is.',
  input: inputSchema,
  deferred: true,
  effects: [],
  resume: 'repeat',
  example: {
    input: {
      todos: [
        { text: 'Read the code', status: 'done' },
        { text: 'Fix the sum', status: 'in_progress' },
        { text: 'Run the tests', status: 'pending' },
      ],
    },
    output: '1 of 3 done',
  },
  async prepare({ todos }) {
    const current = todos.find(({ status }) => status === 'in_progress');
    const title = `todo list: ${toProgress(todos)}${current ? `, ${current.text.replaceAll(/\s+/g, ' ')}` : ''}`;
    return { title: headOf(title, 120), access: [] };
  },
  async run({ todos }) {
    return { text: todos.length === 0 ? 'The list is empty.' : `${toProgress(todos)}.`, todos };
  },
});

function toProgress(todos: readonly Todo[]): string {
  return `${count(todos, 'done')} of ${todos.length} done`;
}

function count(todos: readonly Todo[], wanted: Todo['status']): number {
  return todos.filter(({ status }) => status === wanted).length;
}
