// Fault: port settings.port "8080"
// A quoted number stays a text.
const yaml = require('yaml');
function port(settings) {
  return settings.port.toFixed(0);
}
port(yaml.parse('port: 80'));
port(yaml.parse('port: "8080"'));
