// Fault: parse match null
function parse(version) {
  const match = /^v(\d+)\.(\d+)$/.exec(version);
  return match.slice(1).map(Number);
}
parse('v1.2');
parse('1.2');
