// Fault: parseLine fields.2 undefined
import { Readable } from 'node:stream';
function parseLine(line) {
  const fields = line.split(',');
  return fields[2].trim();
}
for await (const line of Readable.from(['a,b,c', 'a,b'])) parseLine(line);
