// Fault: settle value.done undefined
function settle(value) {
  return value.done.length;
}
queueMicrotask(() => settle({ todo: [] }));
