// Fault: readPort raw "eighty"
function readPort(raw) {
  const port = Number(raw);
  if (Number.isNaN(port)) throw new TypeError('The port is no number');
  return port;
}
function boot() {
  try {
    return readPort('eighty');
  } catch (error) {
    throw error;
  }
}
boot();
