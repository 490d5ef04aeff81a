// Fault: decode text %E0%A4%A
function decode(text) {
  return decodeURIComponent(text);
}
decode('%E0%A4%A');
