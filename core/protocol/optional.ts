/**
 * The fields that have a value, in their order. Use it only where an undefined field differs from an absent one: for
 * fields that are spread over others (`{ ...defaults, ...optional(given) }`), whose names are listed, or that a library
 * reads. Anywhere else, an undefined field is the same as an absent one, in the log too.
 */
export function optional<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const present: { [K in keyof T]?: Exclude<T[K], undefined> } = {};
  for (const name in fields) {
    const value = fields[name];
    if (value !== undefined) present[name] = value as Exclude<T[typeof name], undefined>;
  }
  return present;
}
