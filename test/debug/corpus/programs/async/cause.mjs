// Fault: open path /nonexistent/a.json
import { readFileSync } from 'node:fs';
function open(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new Error('The settings cannot be read', { cause });
  }
}
open('/nonexistent/a.json');
