import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Row, Skipped } from '../benchmark.ts';
import { ROOT } from '../program.ts';

const PROGRAM = `
import json, sys, time
sys.path.insert(0, sys.argv[1])
from klendathu.mcp.target import Target

values = {
    "a list": (lambda: list(range(1_000_000)), "len([x for x in value if x > 999997])"),
    "a dict": (lambda: {i: i for i in range(1_000_000)}, "len({k: x for k, x in value.items() if x > 999997})"),
    "a set": (lambda: set(range(1_000_000)), "len({x for x in value if x > 999997})"),
}

def fail(value):
    raise ValueError("x")

rows = {}
for name, (make, code) in values.items():
    try:
        fail(make())
    except ValueError as error:
        begun = time.perf_counter()
        target = Target(error, {}, {})
        index = next(i for i, frame in enumerate(target.frames) if frame.wire.get("functionName") == "fail")
        shown = target.locals(index)
        locals_ms = (time.perf_counter() - begun) * 1000
        begun = time.perf_counter()
        answer = target.evaluate(code, frame=index, read_only=True, timeout=60)
        assert answer["result"] == "2", answer
        rows[name] = {"locals": locals_ms, "filter": (time.perf_counter() - begun) * 1000}
print(json.dumps(rows))
`;

/** The same values in Python. */
export async function measurePython(): Promise<(Row | Skipped)[]> {
  const name = 'values with 10⁶ entries in Python';
  if (spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 10))']).status !== 0)
    return [{ name, skipped: 'there is no Python 3.10' }];
  const sources = join(ROOT, 'python/klendathu/src');
  const { stdout } = await promisify(execFile)('python3', ['-c', PROGRAM, sources]);
  const rows = JSON.parse(stdout.trim().split('\n').at(-1)!) as Record<string, { locals: number; filter: number }>;
  return Object.entries(rows).flatMap(([kind, { locals, filter }]): Row[] => [
    { name: `Python: one filter over ${kind} with 10⁶ entries`, value: filter, unit: 'ms', most: 2000 },
    { name: `Python: \`locals\` of ${kind} with 10⁶ entries`, value: locals, unit: 'ms', most: 1000 },
  ]);
}
