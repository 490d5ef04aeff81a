// Fault: sum values {
function sum(values) {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
sum({ a: 1, b: 2 });
