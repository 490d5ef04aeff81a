/** An escape of a half of a surrogate pair. `JSON.stringify` escapes lone halves alone. */
const LONE = /\\ud[89a-f][0-9a-f]{2}/g;

/**
 * A value as JSON that is valid Unicode: a lone half of a surrogate pair becomes U+FFFD. Many programs reject JSON that
 * contains one.
 */
export function toWellFormedJson(value: unknown, indent?: number): string {
  return repairJson(JSON.stringify(value, undefined, indent));
}

/** A value of JSON as valid Unicode. Returns the same value if nothing was repaired. */
export function toWellFormed<T>(value: T): T {
  const json = JSON.stringify(value);
  const repaired = repairJson(json);
  return repaired === json ? value : (JSON.parse(repaired) as T);
}

/** The same for a text of `JSON.stringify`. Returns the same text if nothing was repaired. */
export function repairJson(json: string): string {
  if (!json.includes('\\ud')) return json;
  return json.replace(LONE, (found, at: number) => {
    let before = at;
    while (json[before - 1] === '\\') before--;
    // After an odd number of backslashes, the last one is itself escaped.
    return (at - before) % 2 === 0 ? '\ufffd' : found;
  });
}
