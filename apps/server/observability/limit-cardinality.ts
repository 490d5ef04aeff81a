/** Values that one label may have. */
const MAX_VALUES = 100;
/** Characters of one value. */
const MAX_LENGTH = 100;

/**
 * Bounds the values of a label: the first hundred stay as they are, whatever comes after them is `other`. Names come
 * from models and users, and each new one would be a series that a collector keeps for weeks.
 */
export function limitCardinality(): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    const name = value.slice(0, MAX_LENGTH);
    if (known.size < MAX_VALUES) known.add(name);
    return known.has(name) ? name : 'other';
  };
}
