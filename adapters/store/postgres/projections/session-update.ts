import type { SessionChange } from '../../shared/session-change.ts';
import type { Statement } from '../database.ts';
import { toStorable } from './storable.ts';

/**
 * One statement for several changes of a session's row, with the result of one statement for each of them: an expression
 * contains those before it.
 *
 * @param at ISO 8601; of the last change.
 */
export function toSessionUpdate(
  session: string,
  changes: readonly SessionChange[],
  at: string,
): [text: string, values: unknown[]] {
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
  // A value that a later change replaced is left out: Postgres could not derive its type.
  const values: unknown[] = [];
  const places = new Map<string, string>();
  const place = (name: string): string => {
    const known = places.get(name) ?? `$${values.push(given[Number(name.slice(1)) - 1])}`;
    places.set(name, known);
    return known;
  };
  const assignments = [...columns].map(
    ([column, expression]) => `${column} = ${expression.replaceAll(/\$\d+/g, place)}, `,
  );
  const text = `UPDATE sessions SET ${assignments.join('')}updated_at = $${values.push(at)} WHERE id = $${values.push(session)}`;
  return [text, values];
}

const TOUCH = 'UPDATE sessions SET updated_at = $1 WHERE id = $2';

/** The time in statements that set nothing but the time of one session; undefined for all others. */
export function toTouch(statements: readonly Statement[]): string | undefined {
  const [first] = statements;
  return first && statements.length === 1 && first[0] === TOUCH ? (first[1][0] as string) : undefined;
}

function toPrevious(expression: string | undefined, column: string): string {
  return expression === undefined ? column : `(${expression})`;
}
