// Fault: from other {
class Money {
  #cents;
  constructor(cents) {
    this.#cents = cents;
  }
  static from(other) {
    return new Money(other.#cents);
  }
}
Money.from({ cents: 5 });
