import { createServer } from 'node:http';
import type { Ended } from '../../fixtures/klaus.ts';
import { startKlaus } from '../../fixtures/klaus.ts';
import type { Case, Scene } from './case.ts';

/** Lists the sessions of something that answers `/health` like this. */
async function askOther(scene: Scene, body: string, scheme = 'http'): Promise<Ended> {
  const other = createServer((_request, response) => response.end(body));
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  // Doctor asks it again.
  other.unref();
  const { port } = other.address() as { port: number };
  scene.env['KLAUS_SERVER'] = `${scheme}://127.0.0.1:${port}`;
  return scene.klaus('sessions');
}

/** Messages of `--server`. */
export const elsewhere: Case[] = [
  {
    heading: '… cannot be reached: …',
    code: 3,
    provoke(scene) {
      scene.env['KLAUS_SERVER'] = 'http://127.0.0.1:1';
      return scene.klaus('sessions');
    },
    doctor: { name: 'remote server', status: 'warn', says: /127\.0\.0\.1:1\b/ },
  },
  {
    heading: '… does not accept the token, or none was sent.',
    code: 3,
    async provoke(scene) {
      const env = { ...scene.env, AGENT_API_SECRET: 'a-secret-of-the-test' };
      const serve = startKlaus(['serve', '--port', '0', '--json'], { place: scene.place, env });
      await serve.printed('stdout', '\n');
      const { url } = JSON.parse(serve.text.stdout) as { url: string };
      scene.env['KLAUS_SERVER_TOKEN'] = 'another-secret';
      const ended = await scene.klaus('sessions', '--server', url);
      serve.kill('SIGTERM');
      await serve.ended;
      return ended;
    },
  },
  {
    heading: 'The token file … cannot be read: …',
    code: 3,
    provoke: (scene) => scene.klaus('sessions', '--server', 'http://127.0.0.1:1', '--token-file', 'nowhere'),
  },
  {
    heading: 'The address of the server holds its token.',
    code: 2,
    provoke: (scene) => scene.klaus('sessions', '--server', 'http://127.0.0.1:3001/#token=x'),
  },
  {
    heading: 'There is no klaus serve at …: …',
    code: 3,
    provoke: (scene) => askOther(scene, '<html>'),
    doctor: { name: 'remote server', status: 'warn', says: /\bklaus serve\b/ },
  },
  {
    heading: '… speaks version … of the API, and this klaus version ….',
    code: 3,
    provoke: (scene) => askOther(scene, '{"status":"ok","version":"9.1.0","api":99}'),
    doctor: { name: 'remote server', status: 'warn', says: /klaus serve 9\.1\.0/ },
  },
  {
    heading: '… speaks no TLS.',
    code: 3,
    provoke: (scene) => askOther(scene, '', 'https'),
  },
  {
    heading: '… acts on the sessions of this machine; KLAUS_SERVER is ignored.',
    code: 2,
    provoke(scene) {
      scene.env['KLAUS_SERVER'] = 'http://127.0.0.1:1';
      return scene.klaus('undo');
    },
  },
];
