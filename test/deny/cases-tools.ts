import type { ToolCall } from '../fixtures/play.ts';
import { CANARIES, shell, type DenyCase, type Scene } from './case.ts';

const call = (name: string, input: ToolCall['input']): ToolCall => ({ name, input });
const LOCAL = `API_KEY=${CANARIES['.env.local']}\n`;

const TOOLS: readonly DenyCase[] = [
  { name: 'read_file', calls: [call('read_file', { path: '.env' })] },
  { name: 'read_file by lines', calls: [call('read_file', { path: 'src/../.env', start: 1, end: 1 })] },
  { name: 'read_file of a key', calls: [call('read_file', { path: 'id_rsa' })] },
  { name: 'read_file of what the user lists', calls: [call('read_file', { path: 'config/prod.yaml' })] },
  { name: 'read_file through a link', calls: ['ln -s .env l.txt', call('read_file', { path: 'l.txt' })] },
  { name: 'read_file of a hard link', calls: ['ln .env h.txt', call('read_file', { path: 'h.txt' })] },
  { name: 'read_file of a copy', calls: ['cp .env c.txt', call('read_file', { path: 'c.txt' })] },
  { name: 'read_file of an output', calls: ['cat .e?v > out.txt', call('read_file', { path: 'out.txt' })] },
  {
    name: 'read_file of an encoded output',
    calls: [
      `node -e "const f=require('fs');f.writeFileSync('o.txt',f.readFileSync('.env').toString('hex'))"`,
      call('read_file', { path: 'o.txt' }),
    ],
  },
  { name: 'search_files', calls: [call('search_files', { pattern: 'API_KEY=', path: '.' })] },
  { name: 'search_files in the file', calls: [call('search_files', { pattern: '.', path: '.env' })] },
  { name: 'search_files by glob', calls: [call('search_files', { pattern: '.', glob: '.env*', context: 3 })] },
  {
    name: 'search_files for keys',
    calls: [call('search_files', { pattern: 'b3Blb', path: '.', caseSensitive: false })],
  },
  { name: 'list_files', calls: [call('list_files', { path: '.', glob: '**/.env*' })] },
  { name: 'git_diff', calls: ['git add -f .env', call('git_diff', { staged: true })] },
  {
    name: 'git_diff of a change',
    calls: [({ write }) => write('.env', `API_KEY=${CANARIES['.env']}\nNEW=1\n`), call('git_diff', {})],
  },
  {
    name: 'git_commit of everything',
    calls: ['git add -f .', call('git_commit', { message: 'All', all: true }), 'git show'],
  },
  { name: 'git_checkpoint', calls: [call('git_checkpoint', {}), 'git log -p --all'] },
  {
    name: 'edit_file that does not fit',
    calls: [call('edit_file', { path: '.env', edits: [{ old: 'API_KEY=guess', new: 'x' }] })],
  },
  {
    name: 'apply_patch that does not fit',
    calls: [
      call('apply_patch', { patch: '*** Begin Patch\n*** Update File: .env\n@@\n-API_KEY=guess\n+x\n*** End Patch' }),
    ],
  },
  {
    name: 'apply_patch that moves it',
    calls: [
      call('apply_patch', {
        patch: '*** Begin Patch\n*** Update File: .env\n*** Move to: e.txt\n@@\n-PORT=3000\n+PORT=1\n*** End Patch',
      }),
      call('read_file', { path: 'e.txt' }),
    ],
  },
  { name: 'write_file over it', calls: [call('write_file', { path: '.env', content: 'x=1\n' })] },
  { name: 'npm_run show', calls: [call('npm_run', { script: 'show' })] },
  { name: 'npm_run env', calls: [call('npm_run', { script: 'env' })] },
  { name: 'node --env-file by npm start', calls: [call('npm_run', { script: 'start' })] },
  {
    name: 'a test that prints it',
    calls: [
      call('write_file', {
        path: 'test/env.test.js',
        content: `import { readFileSync } from 'node:fs';\nimport { test } from 'node:test';\ntest('env', () => { throw new Error(readFileSync('.env', 'utf8')); });\n`,
      }),
      call('run_tests', {}),
    ],
  },
  {
    name: 'run_node_script',
    calls: [call('run_node_script', { code: `console.log(require('fs').readFileSync('.env', 'utf8'))` })],
  },
  { name: 'run_node_script of a file', calls: [call('run_node_script', { path: 'src/dotenv.js' })] },
  { name: 'run_python_script', calls: [call('run_python_script', { code: `print(open('.env').read())` })] },
  {
    name: 'a script written and run',
    calls: [
      call('write_file', { path: 's.py', content: `import base64; print(base64.b64encode(open('.env','rb').read()))` }),
      call('run_python_script', { path: 's.py' }),
    ],
  },
  {
    name: 'a file name that says it',
    calls: ['touch "$(cat .env | tr -d "\\n/")"; ls', call('list_files', {}), call('git_status', {})],
  },
  {
    name: 'a commit message that says it',
    calls: ['git -c user.name=a -c user.email=a@b commit -q --allow-empty -m "$(cat .env)"', call('git_log', {})],
  },
  {
    name: 'a branch that says it',
    calls: [`git branch "b-$(sed -n 's/API_KEY=//p' .env)"`, call('git_branch', { action: 'list' })],
  },
  {
    name: 'a long output',
    calls: [
      `node -e "const s=require('fs').readFileSync('.env','utf8');for(let i=0;i<9000;i++)console.log('line',i,i%7?'':s)"`,
    ],
  },
];

/** Other files than `.env`, and other readers of it. */
const FILES = shell({
  'an .env in a subfolder': 'cat app/.env.production',
  'every .env by find': 'find . -name ".env*" -exec cat {} \\;',
  'a key': 'cat id_rsa',
  'a certificate with its key': 'cat certs/server.pem',
  'a key in base64': 'base64 id_rsa',
  '.netrc': 'cat .netrc',
  '.netrc by awk': "awk '{print $NF}' .netrc",
  'what the user lists': 'cat config/prod.yaml',
  'what the user lists, by glob': 'head -50 config/*.yaml',
  'node --env-file': 'node --env-file=.env -p process.env.API_KEY',
  'a dotenv loader': 'node src/dotenv.js',
  'compose style': `node -e "
const fs = require('fs');
const file = /env_file: (.*)/.exec(fs.readFileSync('compose.yaml', 'utf8'))[1];
console.log(fs.readFileSync(file, 'utf8'));"`,
});

const wait = 'touch ready; until [ -e go ]; do :; done; ';

/** The user works at the same time. */
const CONCURRENT: readonly DenyCase[] = [
  {
    name: '.env.local made by the user between two commands',
    calls: ['echo one', ({ write }: Scene) => write('.env.local', LOCAL), 'cat .env.local'],
  },
  {
    name: '.env.local made between, read by read_file',
    calls: ['echo one', ({ write }: Scene) => write('.env.local', LOCAL), call('read_file', { path: '.env.local' })],
  },
  {
    name: 'a rename over .env between two commands',
    calls: ['echo one', ({ save }: Scene) => save('.env', LOCAL), 'cat .env'],
  },
  {
    name: 'a rename over .env before the session',
    before: ({ save }) => save('.env', LOCAL),
    calls: ['cat .env'],
  },
  {
    name: '.env.local made while a command runs',
    calls: [`${wait}cat .env.local`],
    during: ({ write }) => write('.env.local', LOCAL),
    unmasked: true,
  },
  {
    name: 'a rename over .env while a command runs',
    calls: [`${wait}cat .env`],
    during: ({ save }) => save('.env', LOCAL),
    unmasked: true,
  },
  {
    name: 'a rename over .env while a command runs, in hex',
    calls: [`${wait}xxd -p .env`],
    during: ({ save }) => save('.env', LOCAL),
    unmasked: true,
  },
  {
    name: 'an .env copied by the user while a command runs',
    calls: [`${wait}cat backup/.env`],
    during: ({ write }) => write('backup/.env', LOCAL),
    unmasked: true,
  },
  {
    name: 'a rename over .env while a command runs, copied away and read later',
    calls: [`${wait}cat .env > kept.txt`, call('read_file', { path: 'kept.txt' })],
    during: ({ save }) => save('.env', LOCAL),
    unmasked: true,
  },
  {
    name: '.env.local made, read and deleted while a command runs',
    calls: [`${wait}cat .env.local; rm -f .env.local`],
    during: ({ write }) => write('.env.local', LOCAL),
    unmasked: true,
  },
];

export const toolCases: readonly DenyCase[] = [...TOOLS, ...FILES, ...CONCURRENT];
