// Fault: load text {"port": 80,}
function load(text) {
  return JSON.parse(text);
}
load('{"port": 80,}');
