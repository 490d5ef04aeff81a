// Fault: start flag true
function start(flag) {
  if (flag) use();
  const limit = 5;
  function use() {
    return limit + 1;
  }
}
start(true);
