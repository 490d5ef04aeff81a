// Covers adapters/sandboxes/protection: Unix sockets in visible folders.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { createTestEngine, ofType } from '../fixtures/engine.ts';
import { test } from '../fixtures/sandboxed.ts';

const PERL = 'use Socket; socket(my $s, PF_UNIX, SOCK_STREAM, 0);';
const connectTo = (path: string): string =>
  `perl -e '${PERL} connect($s, sockaddr_un("${path}")) or die "refused: $!\\n"; print "through: ", <$s>'; echo end`;

/** A program of the machine. Its socket has a relative name, so that the kernel's list does not contain its folder. */
async function listen(folder: string, name: string): Promise<ChildProcess> {
  mkdirSync(folder, { recursive: true });
  const source = `require('net').createServer((s) => s.on('error', () => {}).end('secret\\n')).listen('${name}', () => console.log('ready'))`;
  const child = spawn(process.execPath, ['-e', source], { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] });
  await once(child.stdout, 'data');
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

test('a command cannot connect to visible sockets of the machine, and can use its own', async () => {
  await using holder = await createTestEngine({ script: { steps: [] } });
  const workspace = holder.place.workspace;
  const base = dirname(workspace);
  const extra = join(base, 'extra');
  const shared = join(base, 'shared');
  const places = [join(workspace, 'tmp/pids'), join(extra, 'run/deep'), join(shared, 'run')];
  const children = await Promise.all(places.map((folder) => listen(folder, 'app.sock')));
  const made = join(workspace, 'tmp/own.sock');
  try {
    // Left behind by the first and replaced by the second.
    const own = [
      `unlink "${made}"; socket(my $l, PF_UNIX, SOCK_STREAM, 0);`,
      `bind($l, sockaddr_un("${made}")) or die "bind: $!"; listen($l, 1);`,
      `connect($s, sockaddr_un("${made}")) or die; accept(my $c, $l); syswrite $c, "own\\n"; print scalar <$s>`,
    ].join(' ');
    writeFileSync(join(workspace, 'own.pl'), `${PERL} ${own}`);
    const makes = 'perl own.pl';
    const commands = [...places.map((folder) => connectTo(join(folder, 'app.sock'))), makes, makes];
    await using engine = await createTestEngine({
      script: {
        steps: commands.map((command) => ({ reply: { calls: [{ name: 'run_command', input: { command } }] } })),
        fallback: { text: 'Done.' },
      },
      settings: { 'sandbox.driver': 'bubblewrap', 'sandbox.folders': [extra, `${shared}:rw`] },
    });
    const session = await engine.klaus.open({ workspace });
    await session.prompt('go', { onAsk: 'deny' });
    await session.advance();
    const outputs = ofType(await Array.fromAsync(session.events()), 'tool.finished').map(({ output }) => output);
    expect(outputs).toHaveLength(5);
    for (const output of outputs.slice(0, 3)) {
      expect(output).toContain('end');
      expect(output).toContain('refused');
      expect(output).not.toContain('through');
    }
    expect(outputs.slice(3)).toEqual([expect.stringContaining('own'), expect.stringContaining('own')]);
    expect(existsSync(made)).toBe(true);
  } finally {
    await Promise.all(children.map(end));
  }
});
