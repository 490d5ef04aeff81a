// Fault: run handler "close"
const handlers = { open: () => 1, close: 'close' };
function run(event) {
  const handler = handlers[event];
  return handler();
}
run('open');
run('close');
