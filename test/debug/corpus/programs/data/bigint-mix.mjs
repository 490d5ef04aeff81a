// Fault: add right 2
function add(left, right) {
  return left + right;
}
add(1n, 2);
