// Fault: connect settings.db.replicas undefined
const settings = { db: { host: 'a', port: 1 }, cache: { ttl: 5 } };
function connect(settings) {
  return settings.db.replicas.map((one) => one.host);
}
connect(settings);
