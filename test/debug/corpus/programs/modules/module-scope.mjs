// Fault: total rates {
const rates = { EUR: 1, USD: 1.1 };
export function total(amount, currency) {
  return amount.times(rates[currency]);
}
total(5, 'GBP');
