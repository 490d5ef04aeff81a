// Fault: pad width -3
function pad(text, width) {
  return text + new Array(width).join(' ');
}
pad('abc', 4 - 7);
