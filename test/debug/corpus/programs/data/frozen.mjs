// Fault: apply config.port 80
const defaults = Object.freeze({ port: 80, host: 'a' });
function apply(config, port) {
  config.port = port;
  return config;
}
apply(defaults, 8080);
