// Fault: route path "*"
// Express 5 has no path `*` any more.
const express = require('express');
const app = express();
function route(path) {
  app.get(path, (request, response) => response.end());
}
route('/a');
route('*');
