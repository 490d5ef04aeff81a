// Fault: increment this undefined
class Counter {
  count = 0;
  increment() {
    return ++this.count;
  }
}
const { increment } = new Counter();
increment();
