/** A value as Postgres can store it: its texts contain no null character, which is replaced. */
export function toStorable<T>(value: T): T {
  return typeof value === 'string' && value.includes('\0') ? (value.replaceAll('\0', '\uFFFD') as T & string) : value;
}
