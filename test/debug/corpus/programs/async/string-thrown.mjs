// Fault: lookup key "color"
const known = { size: 1 };
function lookup(key) {
  if (!(key in known)) throw `unknown key`;
  return known[key];
}
lookup('color');
