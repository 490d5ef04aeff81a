import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ownName } from '../process/owner.ts';
import { eventually } from '../sandbox.fixture.ts';
import { readCgroupSites } from './cgroup-mounts.ts';
import { ResourceGroup, sweepGroups } from './resource-group.ts';

const LIMITS = { timeoutMs: 1_000, memoryMb: 64, cpus: 0.5, processes: 10 };
const probe = ResourceGroup.open(LIMITS);
const held = probe.controllers;
await probe.close();

describe.skipIf(!held.has('pids'))(`control groups ${held.has('pids') ? '' : '(none is writable here)'}`, () => {
  test('a member is limited, listed, ended, and the group is removed', async () => {
    const group = ResourceGroup.open(LIMITS);
    const child = spawn('sleep', ['3600']);
    const ended = once(child, 'exit');
    await group.add([child.pid!]);
    expect(group.members()).toEqual([child.pid]);
    expect(group.exceeded()).toEqual([]);
    await group.close();
    expect(await ended).toEqual([null, 'SIGKILL']);
    expect(group.members()).toEqual([]);
  });

  test('groups of a killed Klaus process are removed, and those of a running one are kept', async () => {
    const parent = readCgroupSites().pids!.parents[0]!;
    const gone = spawn('true');
    await once(gone, 'exit');
    const stale = join(parent, `klaus-${ownName().replace(/-\d+-\d+$/, `-${gone.pid}-1`)}-0`);
    const live = join(parent, `klaus-${ownName()}-9999`);
    mkdirSync(stale);
    mkdirSync(live);
    const orphan = spawn('sleep', ['3600']);
    const ended = once(orphan, 'exit');
    writeFileSync(join(stale, 'cgroup.procs'), String(orphan.pid));
    sweepGroups([parent]);
    expect(await ended).toEqual([null, 'SIGKILL']);
    const isRemoved = () => {
      sweepGroups([parent]);
      return !existsSync(stale);
    };
    expect(await eventually(isRemoved)).toBe(true);
    expect(existsSync(live)).toBe(true);
    rmdirSync(live);
  });
});
