// Fault: next items undefined
function iterate(source) {
  const { items } = source;
  let at = 0;
  return function next() {
    return items[at++];
  };
}
iterate({ values: [1] })();
