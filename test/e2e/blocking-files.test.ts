// Covers adapters/system, adapters/workspace, adapters/sandboxes/protection, adapters/tools/git: named pipes, sockets and devices at places of Git and of a project.
//
// Dimensions: kind of file × place × whether a command made it or the project has it. A session with two commands must end
// by itself: a process that waits for a pipe on its main thread or in all of its reading threads obeys no signal.
import { spawnSync } from 'node:child_process';
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Ended, type runKlaus, startKlaus, startServer, toEvents } from '../fixtures/klaus.ts';
import { ofType } from '../fixtures/engine.ts';
import { hasBubblewrap, test } from '../fixtures/sandboxed.ts';
import { toTagged } from '../fixtures/split-cases.ts';
import { createTestHome } from '../fixtures/test-home.ts';

/** Below `.git` of the workspace. */
const GIT = [
  ...['HEAD', 'ORIG_HEAD', 'FETCH_HEAD', 'MERGE_HEAD', 'MERGE_MSG', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'BISECT_LOG'],
  ...[
    'index',
    'packed-refs',
    'shallow',
    'config.worktree',
    'description',
    'COMMIT_EDITMSG',
    'logs/HEAD',
    'logs/refs/stash',
  ],
  ...[
    'refs/stash',
    'refs/heads/x',
    'refs/heads/main',
    'refs/tags/t',
    'refs/remotes/origin/HEAD',
    'logs/refs/heads/main',
  ],
  ...['info/exclude', 'info/attributes', 'info/grafts', 'info/sparse-checkout', 'info/refs', 'objects/info/alternates'],
  ...[
    'objects/info/packs',
    'objects/pack/pack-0123456789012345678901234567890123456789.idx',
    'rebase-merge/git-rebase-todo',
  ],
  ...[
    'objects/01/23456789012345678901234567890123456789',
    'sequencer/todo',
    'worktrees/w/gitdir',
    'worktrees/w/commondir',
  ],
  ...['worktrees/w/HEAD', 'modules/m/HEAD', 'modules/m/config', 'commondir', 'gitdir'],
].map((path) => `.git/${path}`);
const NESTED = [
  ...['m/.git', 'n/.git/config', 'n/.git/HEAD', 'n/.git/packed-refs', 'n/.git/index', 'n/.git/refs/heads/x'],
  ...[
    'n/.git/commondir',
    'n/.git/info/exclude',
    'n/.git/objects/info/alternates',
    'k/HEAD',
    'k/config',
    'k/packed-refs',
  ],
];
const PROJECT = [
  ...[
    'AGENTS.md',
    'CLAUDE.md',
    '.env',
    '.env.local',
    'sub/.env',
    'package.json',
    'package-lock.json',
    '.npmrc',
    'id_rsa',
  ],
  ...[
    '.gitignore',
    '.gitattributes',
    '.gitmodules',
    '.ignore',
    '.rgignore',

    'credentials.json',
    'go.mod',
  ],
  ...[
    'tsconfig.json',
    'pyproject.toml',
    '.tool-versions',
    '.nvmrc',
    'mise.toml',
    '.venv/pyvenv.cfg',
    'README.md',
    'x.pem',
  ],
  ...[
    '.klaus/secrets-allow',
    '.klaus/skills/x/SKILL.md',
    '.klaus/agents/x.md',
    '.klaus/commands/x.md',
    '.klaus/hooks.yaml',
  ],
  ...[
    '.claude/settings.json',
    '.claude/agents/y.md',
    '.claude/skills/y/SKILL.md',
    '.claude/commands/y.md',
    'Cargo.toml',
  ],
  ...[
    '.vscode/settings.json',
    '.editorconfig',
    '.prettierrc',
    'node_modules/a/package.json',
    'Makefile',
    '.terraform/x',
  ],
];
/** Settings without which Klaus does not start. */
const SETTINGS = ['.git/config', '.mcp.json', '.klaus/config.yaml', '.klaus/policy.yaml'];

const KINDS = ['pipe', 'socket', ...(process.getuid?.() === 0 ? ['device' as const] : [])] as const;
type Kind = (typeof KINDS)[number];

/** Replaces each place of the list that it can. A pipe is also one to which nothing ever writes. */
const MAKE = `use POSIX; use Socket; use File::Path; use File::Basename;
my ($kind, @lists) = @ARGV;
for my $list (@lists) { open(my $in, '<', $list) or die; while (my $path = <$in>) {
  chomp $path;
  eval { mkpath(dirname($path)) };
  unlink $path; rmtree($path) if -d $path && ! -l $path;
  if ($kind eq 'pipe') { POSIX::mkfifo($path, 0644) }
  elsif ($kind eq 'socket') { socket(my $s, PF_UNIX, SOCK_STREAM, 0); bind($s, sockaddr_un($path)) }
  else { system('mknod', $path, 'c', 5, 0) }
} }
print "made\\n";
`;
const KILL_AFTER_MS = 50_000;

/** Runs the program; a process that does not end has the signal SIGKILL. */
async function runBounded(...given: Parameters<typeof runKlaus>): Promise<Ended> {
  const running = startKlaus(...given);
  const timer = setTimeout(() => running.kill('SIGKILL'), KILL_AFTER_MS);
  try {
    return await running.ended;
  } finally {
    clearTimeout(timer);
  }
}

const isPlain = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isFile() !== false;

async function runWith(kind: Kind, places: readonly string[], made: 'command' | 'project'): Promise<void> {
  using place = createTestHome({ 'README.md': '# Test\n', 'make.pl': MAKE, 'list.txt': `${places.join('\n')}\n` });
  const make = `perl make.pl ${kind} list.txt`;
  const commands = [made === 'command' ? make : 'echo one', 'echo two'];
  await using server = await startServer({
    steps: commands.map((command) => ({ reply: { calls: [{ name: 'run_command', input: { command } }] } })),
    fallback: { text: 'Done.' },
  });
  if (made === 'project') spawnSync('sh', ['-c', make], { cwd: place.workspace });
  const env = { KLAUS_SANDBOX: hasBubblewrap ? 'bubblewrap' : 'host' };
  const words = ['run', '--json', '--approve', 'auto', '--on-ask', 'deny', 'go'];
  const ended = await runBounded(words, { place, server, env });
  const shown = `${kind} ${made} ${places.join(' ')}\n${ended.stderr}`;
  expect(ended.signal, shown).toBe(null);
  if (places.some((path) => SETTINGS.includes(path))) return;
  const outputs = ofType(toEvents(ended.stdout), 'tool.finished').map(({ output }) => output);
  // A command whose changes Klaus reverts is the last one of its turn.
  expect(outputs[0], shown).toContain(made === 'command' ? 'made' : 'one');
  expect(outputs[1] ?? 'two', shown).toContain('two');
  // Without a kind of file at a place nothing was shown.
  if (kind !== 'device' || made === 'project')
    expect(places.filter((path) => !isPlain(join(place.workspace, path))).length, shown).toBeGreaterThan(0);
}

const ENDS = {
  project: 'that a project has does not stop a session',
  command: 'that a command makes does not stop a session',
};
const PLACES = { git: [...GIT, ...NESTED], project: PROJECT };
const COMBINATIONS = KINDS.flatMap((kind) =>
  Object.entries(PLACES).flatMap(([name, places]) =>
    (kind === 'device' ? (['project'] as const) : (['project', 'command'] as const)).map((made) => ({
      title: `a ${kind} at the places of ${name} ${ENDS[made]}`,
      value: [kind, places, made] as const,
    })),
  ),
);

for (const { name, value, tags } of toTagged(
  Object.fromEntries(COMBINATIONS.map(({ title, value }) => [title, value])),
  4,
))
  test(name, { tags }, () => runWith(...value));

test.for(KINDS)('a %s as settings ends with an error', (kind) => runWith(kind, SETTINGS, 'project'));

test.for([...GIT, ...NESTED, ...PROJECT, ...SETTINGS].flatMap((path) => KINDS.map((kind) => [path, kind] as const)))(
  'alone: %s as %s',
  { tags: 'long' },
  async ([path, kind]) => {
    await runWith(kind, [path], 'project');
  },
);
