// Fault: check total NaN
import assert from 'node:assert';
const prices = [1, '2', undefined];
function check(prices) {
  let total = 0;
  for (const price of prices) total += Number(price);
  assert.ok(total > 0, 'The total is wrong');
}
check(prices);
