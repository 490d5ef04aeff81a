import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ControlName } from '../../adapters/sandboxes/bubblewrap/controls.ts';
import { perl } from './case.ts';
import type { EscapeCase } from './case.ts';
import { SECRET } from './world.ts';
import type { World } from './world.ts';

const isChanged = (world: World) => !existsSync(world.canary) || readFileSync(world.canary, 'utf8') !== `${SECRET}\n`;

function reads(
  name: string,
  path: (world: World) => string,
  without: readonly ControlName[] = ['hidden-root'],
): EscapeCase {
  return { name: `reads ${name}`, without, attack: (world) => ['cat', path(world)] };
}

const readings: EscapeCase[] = [
  reads('a file of the host', (world) => world.canary),
  reads("the user's SSH key", (world) => join(world.user, '.ssh/id_ed25519')),
  reads("another workspace's .env", (world) => join(world.workspace, '../neighbour/.env')),
  reads("Klaus's own database", (world) => join(world.home, 'klaus.db'), ['hidden-root', 'hidden-state']),
  reads('by dots', (world) => `${world.workspace}/./../project/../canary`),
  reads('by /proc/self/root', (world) => `/proc/self/root${world.canary}`),
  reads('by /proc/1/root', (world) => `/proc/1/root${world.canary}`),
  reads('by /proc/self/cwd', (world) => `/proc/self/cwd/../canary`.replace('canary', world.canary.split('/').at(-1)!)),
  reads('by /proc/thread-self/root', (world) => `/proc/thread-self/root${world.canary}`),
  reads('by /dev/fd', (world) => `/dev/fd/../../..${world.canary}`, ['hidden-root']),
];

const links: EscapeCase[] = [
  {
    name: 'reads through a symlink that it makes',
    without: ['hidden-root'],
    attack: (world) => `ln -s ${world.canary} out; cat out`,
  },
  {
    name: 'reads through a symlink that was there',
    without: ['hidden-root'],
    before: (world) => symlinkSync('../canary', join(world.workspace, 'out')),
    attack: () => 'cat out',
  },
  {
    name: 'writes through a symlink of a folder',
    without: ['hidden-root'],
    attack: (world) => `ln -s ${world.root} out; echo x > out/canary; echo x > out/mark`,
    harmed: (world) => isChanged(world) || existsSync(world.mark),
  },
  {
    name: 'makes a hard link to a file outside and writes it',
    without: ['hidden-root'],
    attack: (world) => `ln ${world.canary} ${world.root}/hard && echo x > ${world.root}/hard`,
    harmed: isChanged,
  },
  {
    name: 'renames a file of the host into the workspace',
    without: ['hidden-root'],
    attack: (world) => perl('rename($ARGV[0], "mine") or exec("mv", $ARGV[0], "mine")', world.canary),
    harmed: isChanged,
  },
  {
    name: 'removes a file of the host',
    without: ['hidden-root'],
    attack: (world) => ['rm', '-f', world.canary],
    harmed: isChanged,
  },
  {
    name: 'changes the mode of a file of the host',
    without: ['hidden-root'],
    attack: (world) => `chmod 777 ${world.canary} && cat ${world.canary}`,
  },
  {
    name: 'replaces a folder by a symlink while it is searched',
    without: ['hidden-root'],
    program: 'perl',
    attack: (world) =>
      perl(
        `mkdir 'd'; my $pid = fork; if (!$pid) { for (1..400) { rename 'd','e'; symlink $ARGV[0],'d'; unlink 'd'; rename 'e','d' } exit }
         for (1..400) { if (open(my $f, '<', 'd/canary')) { print <$f>; last } } kill 9, $pid; waitpid $pid, 0; unlink 'd'; rename 'e','d'; symlink $ARGV[0], 's'; if (open(my $g, '<', 's/canary')) { print <$g> }`,
        world.root,
      ),
  },
  {
    name: 'replaces the workspace by a symlink for the next command',
    without: ['hidden-root'],
    attack: (world) =>
      perl(
        'rename($ARGV[0], "$ARGV[0].old"); symlink("$ARGV[1]", $ARGV[0]); rmdir $ARGV[0]; open(my $f, ">", "$ARGV[1]/mark"); print $f "x"',
        world.workspace,
        world.root,
      ),
    harmed: (world) => existsSync(world.mark),
  },
];

const system: EscapeCase[] = [
  reads('/etc/shadow', () => '/etc/shadow', [
    'read-only-etc',
    'user-namespace',
    'no-capabilities',
    'no-nested-namespaces',
    'pid-namespace',
    'private-proc',
    'covered-proc',
    'seccomp',
  ]),
].map((each) => ({ ...each, rootProof: true, harmed: (_, result) => /^root:/m.test(result.stdout) }));

const MARKER = `klaus-escape-${process.pid}`;
const writable = (name: string, folder: string, without: readonly ControlName[]): EscapeCase => ({
  name: `plants a program in ${name}`,
  without,
  rootProof: true,
  attack: () => `echo x > ${folder}/${MARKER}`,
  after: () => rmSync(`${folder}/${MARKER}`, { force: true }),
  harmed: () => existsSync(`${folder}/${MARKER}`),
});

const PLACES: readonly (readonly [string, string, ControlName])[] = [
  ['/usr/local/bin', '/usr/local/bin', 'read-only-system'],
  ['/usr/lib', '/usr/lib', 'read-only-system'],
  ['/etc', '/etc', 'read-only-etc'],
  ['/etc/profile.d', '/etc/profile.d', 'read-only-etc'],
  ['/etc/cron.d', '/etc/cron.d', 'read-only-etc'],
  ["cron's spool", '/var/spool/cron', 'hidden-root'],
  ['/var/lib', '/var/lib', 'hidden-root'],
  ['/opt', '/opt', 'hidden-root'],
  ['/root or the home folder', process.env['HOME'] ?? '/root', 'hidden-root'],
  ["the host's /tmp", '/tmp', 'private-tmp'],
  ["the host's /var/tmp", '/var/tmp', 'private-tmp'],
  ["the host's /run", '/run', 'private-run'],
  ["the host's /dev/shm", '/dev/shm', 'private-dev'],
];

const planted = PLACES.filter(([, folder]) => existsSync(folder)).map(([name, folder, control]) =>
  writable(name, folder, [control]),
);

const toolchain: EscapeCase = {
  name: 'writes into a toolchain folder on PATH that programs outside use',
  without: ['read-only-toolchains'],
  before: (world) => mkdirSync(join(world.root, 'sdk', 'go', 'bin'), { recursive: true }),
  path: (world) => join(world.root, 'sdk', 'go', 'bin'),
  attack: (world) => `echo x > ${world.root}/sdk/go/bin/klaus-tool`,
  harmed: (world) => existsSync(join(world.root, 'sdk/go/bin/klaus-tool')),
};

const masked = (
  name: string,
  attack: (world: World) => string | string[],
  before?: (world: World) => void,
): EscapeCase => ({
  name: `a masked file: ${name}`,
  without: ['masks'],
  attack,
  before,
});

const masks: EscapeCase[] = [
  masked('cat', () => 'cat .env'),
  masked('in a masked folder', () => 'cat vault/key vault/*'),
  masked('by /proc/self/root', (world) => `cat /proc/self/root${world.workspace}/.env`),
  masked('by /proc/self/cwd', () => 'cat /proc/self/cwd/.env'),
  masked('by a hard link', () => 'ln .env copy; cat copy .env'),
  masked('by a symlink', () => 'ln -s .env copy; cat copy'),
  masked('by renaming it', () => "perl -e 'rename q(.env), q(x)'; mv .env x; cat x .env"),
  masked('by renaming its folder away', () => "perl -e 'rename q(vault), q(x)'; cat x/key vault/key"),
  masked('by removing its mask', () => 'cat .env; rm -f .env; cat .env'),
  masked('by truncating, then copying', () => 'cp .env x; cat x; dd if=.env of=y 2>/dev/null; cat y'),
  masked('by umount', () => 'umount .env; umount -l .env; cat .env'),
  masked(
    'by a second mount of the workspace',
    (world) => `mkdir m; mount --bind ${world.workspace} m; cat m/.env .env`,
  ),
  masked('by a new user and mount namespace', () => 'unshare -Urm sh -c "umount -l .env; cat .env"; cat .env'),
  masked(
    'by git',
    () =>
      'git add -f .env; git show :.env; git diff --no-index /dev/null .env; git hash-object -w .env | xargs git cat-file -p',
  ),
  masked('by tar', () => 'tar cf - . | cat'),
  masked('by grep', () => 'grep -r CANARY .'),
  masked('by another program', () => perl('open(my $f, "<", ".env"); print <$f>')),
  masked(
    'by a symlink that the user made',
    () => 'cat link',
    (world) => symlinkSync('.env', join(world.workspace, 'link')),
  ),
  masked(
    'with a name of spaces and quotes',
    () => "cat '.env \" x'",
    (world) => writeFileSync(join(world.workspace, '.env " x'), SECRET),
  ),
  masked(
    'one whose name begins with the pattern',
    () => 'cat .env.local',
    (world) => writeFileSync(join(world.workspace, '.env.local'), SECRET),
  ),
  masked(
    'a key file',
    () => 'cat server.pem',
    (world) => writeFileSync(join(world.workspace, 'server.pem'), SECRET),
  ),
  masked('through a path with `..`', () => 'cat vault/../vault/key'),
  {
    name: 'a masked file: replaced by renaming on the host while the command runs',
    without: ['masks'],
    dockerLimit: 'masks are fixed when a command starts',
    attack: () => 'touch up; while [ ! -e go ]; do sleep 0.02; done; cat .env',
    request: (world) => {
      let isReplaced = false;
      const timer = setInterval(() => {
        if (!existsSync(join(world.workspace, 'up')) || isReplaced) return;
        isReplaced = true;
        writeFileSync(join(world.workspace, '.new'), SECRET);
        renameSync(join(world.workspace, '.new'), join(world.workspace, '.env'));
        // Enough time to be noticed; earlier reads are a documented limit.
        setTimeout(() => writeFileSync(join(world.workspace, 'go'), ''), 1_500);
        clearInterval(timer);
      }, 20);
      return {};
    },
  },
  {
    name: 'a masked file: appears while the command runs',
    without: ['masks'],
    dockerLimit: 'masks are fixed when a command starts',
    attack: () => 'touch up; while [ ! -e go ]; do sleep 0.02; done; cat .env.later',
    request: (world) => {
      const timer = setInterval(() => {
        if (!existsSync(join(world.workspace, 'up'))) return;
        writeFileSync(join(world.workspace, '.env.later'), SECRET);
        setTimeout(() => writeFileSync(join(world.workspace, 'go'), ''), 1_500);
        clearInterval(timer);
      }, 20);
      return {};
    },
  },
  {
    name: 'Klaus’s own state inside the workspace',
    without: ['hidden-state'],
    before: (world) => writeFileSync(join(world.home, 'klaus.db'), SECRET),
    request: (world) => ({ binds: [{ path: world.home, writable: true }] }),
    attack: (world) => `cat ${world.home}/klaus.db`,
  },
  {
    name: 'Klaus’s own state through a bind of a symlink',
    without: ['hidden-state'],
    before: (world) => symlinkSync(world.home, join(world.root, 'alias')),
    request: (world) => ({ binds: [{ path: join(world.root, 'alias'), writable: true }] }),
    attack: (world) => `cat ${world.root}/alias/klaus.db`,
  },
  {
    name: 'Klaus’s own state below a folder that is bound',
    without: ['hidden-state'],
    request: (world) => ({ binds: [{ path: world.root, writable: true }] }),
    attack: (world) => `cat ${world.home}/klaus.db`,
  },
];

const hardLinked: EscapeCase = {
  name: 'a hard link of the user is in the list of masks like the file itself',
  without: ['masks'],
  before: (world) => linkSync(join(world.workspace, '.env'), join(world.workspace, '.env.backup')),
  attack: () => 'cat .env.backup',
};

/** Files of the host, masks and the system. */
export const fileCases: readonly EscapeCase[] = [
  ...readings,
  ...links,
  ...system,
  ...planted,
  toolchain,
  ...masks,
  hardLinked,
];
