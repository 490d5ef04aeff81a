/** The conditions of a statement with their values. A condition that is not asked for is absent, so that indexes are used. */
export class Conditions {
  readonly values: unknown[];
  readonly #parts: string[] = [];

  /** @param values Those of the statement before the conditions. */
  constructor(values: readonly unknown[] = []) {
    this.values = [...values];
  }

  /** The placeholder of one more value. */
  place(value: unknown): string {
    return `$${this.values.push(value)}`;
  }

  add(toText: (place: (value: unknown) => string) => string): void {
    this.#parts.push(toText((value) => this.place(value)));
  }

  /** `WHERE …`, or nothing. */
  text(): string {
    return this.#parts.length === 0 ? '' : `WHERE ${this.#parts.join(' AND ')}`;
  }
}
