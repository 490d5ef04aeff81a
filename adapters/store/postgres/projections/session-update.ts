import type { SessionChange } from '../../shared/session-change.ts';
import type { Statement } from '../database.ts';
import { toStorable } from './storable.ts';

/**
 * One statement for several changes of a session's row, with the result of one statement for each of them: an expression
 * contains those before it. Undefined when they change no column.
 */
export function toSessionUpdate(session: string, changes: readonly SessionChange[]): Statement | undefined {
  const given: unknown[] = [];
  const columns = new Map<string, string>();
  for (const [kind, ...values] of changes) {
    const before = new Map(columns);
    let next = 0;
    for (const [column, template] of Object.entries(kind)) {
      const expression = template.replaceAll(/@(\w+)|\?/g, (_, name: string | undefined) =>
        name === undefined ? `$${given.push(toStorable(values[next++]))}` : toPrevious(before.get(name), name),
      );
      columns.set(column, expression);
    }
  }
  if (columns.size === 0) return undefined;
  // A value that a later change replaced is left out: Postgres could not derive its type.
  const values: unknown[] = [];
  const places = new Map<string, string>();
  const place = (name: string): string => {
    const known = places.get(name) ?? `$${values.push(given[Number(name.slice(1)) - 1])}`;
    places.set(name, known);
    return known;
  };
  const assignments = [...columns].map(
    ([column, expression]) => `${column} = ${expression.replaceAll(/\$\d+/g, place)}`,
  );
  const text = `UPDATE sessions SET ${assignments.join(', ')} WHERE id = $${values.push(session)}`;
  return [text, values];
}

function toPrevious(expression: string | undefined, column: string): string {
  return expression === undefined ? column : `(${expression})`;
}
