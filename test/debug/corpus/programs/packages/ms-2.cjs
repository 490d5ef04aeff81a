// Fault: schedule delay undefined
// ms returns undefined for a unit that it does not know.
const ms = require('ms');
function schedule(text) {
  const delay = ms(text);
  return delay.toFixed(0);
}
schedule('5m');
schedule('2 fortnights');
