// Prints what differs in a copy of a workspace in which a command has closed a folder.
import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLayerFixture } from './layer.fixture.ts';

const place = createLayerFixture();
const layer = await place.layers.open({ kind: 'copy' });
const closed = join(layer.folder, 'closed');
mkdirSync(join(closed, 'inner'), { recursive: true });
writeFileSync(join(closed, 'inner/file'), 'x');
chmodSync(join(closed, 'inner'), 0o311);
chmodSync(closed, 0);
const { paths } = await layer.touched();
process.stdout.write(JSON.stringify({ paths, mode: statSync(closed).mode & 0o777 }));
chmodSync(closed, 0o700);
chmodSync(join(closed, 'inner'), 0o700);
await layer.close();
await place.layers.clear();
await place.remove();
