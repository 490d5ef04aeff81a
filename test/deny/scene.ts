import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CANARIES, type Scene } from './case.ts';

const KEY = `-----BEGIN OPENSSH PRIVATE KEY-----\n${CANARIES.id_rsa}\n-----END OPENSSH PRIVATE KEY-----\n`;

/** The files of the repository other than the secrets. */
export const OPEN_FILES: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify({
    name: 'shop',
    version: '1.0.0',
    type: 'module',
    scripts: {
      start: 'node --env-file=.env src/server.js',
      show: 'cat .env',
      env: 'set -a; . ./.env; printenv API_KEY',
      test: 'node --test',
    },
  }),
  '.env.example': 'API_KEY=your-key-here\nPORT=3000\n',
  'src/server.js': `console.log('key', process.env.API_KEY);\n`,
  'src/dotenv.js': `import { readFileSync } from 'node:fs';
for (const line of readFileSync(new URL('../.env', import.meta.url), 'utf8').split('\\n')) {
  const [name, ...rest] = line.split('=');
  if (name) process.env[name] = rest.join('=');
}
console.log(JSON.stringify({ key: process.env.API_KEY }));
`,
  'src/sum.js': 'export const sum = (a, b) => a + b;\n',
  'test/sum.test.js': `import assert from 'node:assert';
import { test } from 'node:test';
import { sum } from '../src/sum.js';
test('adds', () => assert.equal(sum(1, 2), 3));
`,
  Makefile: 'include .env\nexport\nshow:\n\t@echo $(API_KEY)\n',
  'compose.yaml': 'services:\n  web:\n    image: shop\n    env_file: .env\n',
};

/** The values that must not leak. */
export const SECRET_FILES: Readonly<Record<string, string>> = {
  '.env': `API_KEY=${CANARIES['.env']}\nPORT=3000\n`,
  'app/.env.production': `STRIPE_TOKEN="${CANARIES['app/.env.production']}"\n`,
  id_rsa: KEY,
  'certs/server.pem': KEY,
  '.netrc': `machine example.com login me password ${CANARIES['.netrc']}\n`,
  'config/prod.yaml': `database:\n  password: ${CANARIES['config/prod.yaml']}\n`,
};

export const IGNORED = '.env*\n!.env.example\nid_rsa\n*.pem\n.netrc\nconfig/prod.yaml\nx.sh\n';

/** The user's own list. */
export const SETTINGS = { 'secrets.files': ['config/prod.yaml'] };

export function createScene(workspace: string): Scene {
  const write = (path: string, content: string): void => {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), content);
  };
  return {
    workspace,
    write,
    save(path, content) {
      write(`${path}.swp`, content);
      renameSync(join(workspace, `${path}.swp`), join(workspace, path));
    },
    git(...words) {
      const who = ['-c', 'user.name=Test', '-c', 'user.email=test@localhost', '-c', 'commit.gpgsign=false'];
      execFileSync('git', [...who, ...words], {
        cwd: workspace,
        env: { PATH: process.env['PATH'], HOME: workspace, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
    },
  };
}
