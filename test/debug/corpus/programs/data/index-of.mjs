// Fault: split at -1
function split(line) {
  const at = line.indexOf('=');
  if (at < 0) throw new RangeError(`No value in a line`);
  return [line.slice(0, at), line.slice(at + 1)];
}
['a=1', 'b'].map((line) => split(line));
