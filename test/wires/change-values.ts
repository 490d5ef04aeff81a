/** Values of other types than those that servers send. */
const OTHERS = ['null', '""', '"x"', '7', 'true', '[]', '[null]', '["x"]', '{}', '{"a":1}'];

/**
 * The body with one JSON value replaced by one of another type, for each value: what a broken server could send. The
 * events keep their places. A body that is no JSON at all has no changes.
 */
export function* changeValues(body: string): Iterable<string> {
  let turn = 0;
  for (const line of new Set(body.split('\n'))) {
    const prefix = /^(?:data|error): ?/.exec(line)?.[0] ?? '';
    const event = parse(line.slice(prefix.length));
    if (event === undefined) continue;
    for (const changed of changes(event, () => OTHERS[turn++ % OTHERS.length]!)) {
      yield body.replace(line, () => prefix + changed);
    }
  }
}

/** The JSON text of `value` with one value in it replaced, for each of them. */
function* changes(value: unknown, next: () => string): Iterable<string> {
  yield next();
  if (typeof value !== 'object' || value === null) return;
  const keys = Object.keys(value);
  for (const key of keys) {
    const field = (value as Record<string, unknown>)[key];
    for (const text of changes(field, next)) {
      const texts = keys.map((each) => [
        each,
        each === key ? text : JSON.stringify((value as Record<string, unknown>)[each]),
      ]);
      yield Array.isArray(value)
        ? `[${texts.map(([, part]) => part).join(',')}]`
        : `{${texts.map(([name, part]) => `${JSON.stringify(name)}:${part}`).join(',')}}`;
    }
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
