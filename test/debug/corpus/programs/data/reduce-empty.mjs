// Fault: largest values []
function largest(values) {
  return values.reduce((a, b) => (a > b ? a : b));
}
largest([1, 2]);
largest([]);
