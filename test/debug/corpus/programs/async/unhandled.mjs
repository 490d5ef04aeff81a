// Fault: reserve left -1
async function reserve(stock, count) {
  await null;
  const left = stock - count;
  if (left < 0) throw new RangeError('Out of stock');
  return left;
}
void reserve(1, 2);
