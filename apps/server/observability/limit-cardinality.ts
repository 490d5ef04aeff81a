/** Most values of a label. */
const MAX_VALUES = 100;
/** Most characters of a value. */
const MAX_LENGTH = 100;

/**
 * Limits the values of a label: after the first hundred, each new value becomes `other`. Models and users choose the names,
 * and each value is a time series.
 */
export function limitCardinality(): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    const name = value.slice(0, MAX_LENGTH);
    if (known.size < MAX_VALUES) known.add(name);
    return known.has(name) ? name : 'other';
  };
}
