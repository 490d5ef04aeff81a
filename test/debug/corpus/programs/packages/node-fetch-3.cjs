// Fault: load fetch Module
// node-fetch 3 is an ES module: the function is on `default`.
const fetch = require('node-fetch');
async function load(url) {
  return await fetch(url);
}
load('http://127.0.0.1:1/');
