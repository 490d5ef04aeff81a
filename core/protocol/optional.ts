/**
 * The fields that have a value, to be spread into an object: `{ id, ...optional({ model, limit }) }`. A field that is
 * undefined is absent from the result. The fields keep their order.
 */
export function optional<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const present: { [K in keyof T]?: Exclude<T[K], undefined> } = {};
  for (const name in fields) {
    const value = fields[name];
    if (value !== undefined) present[name] = value as Exclude<T[typeof name], undefined>;
  }
  return present;
}
