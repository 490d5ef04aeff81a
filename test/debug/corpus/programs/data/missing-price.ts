// Fault: total item.price undefined
interface Item {
  name: string;
  price?: { amount: number };
}
const cart: Item[] = [{ name: 'a', price: { amount: 1 } }, { name: 'b' }];
function total(items: Item[]): number {
  let sum = 0;
  for (const item of items) sum += item.price!.amount;
  return sum;
}
console.log(total(cart));
