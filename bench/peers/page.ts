import { TASKS } from './task.ts';

export interface Section {
  name: string;
  markdown: string;
}

/**
 * docs/benchmarks-peers.md with new sections; those of other tasks stay as they are.
 *
 * @param page What the page is now; empty where there is none.
 */
export function toPage(page: string, sections: readonly Section[]): string {
  const parts = TASKS.flatMap(({ name }) => {
    const fresh = sections.find((section) => section.name === name)?.markdown;
    const markdown = fresh ?? findSection(page, name);
    return markdown === undefined ? [] : [`${toBegin(name)}\n${markdown}\n${toEnd(name)}`];
  });
  return [HEAD, ...parts, TAIL].join('\n\n');
}

const toBegin = (name: string): string => `<!-- ${name} -->`;
const toEnd = (name: string): string => `<!-- /${name} -->`;

function findSection(page: string, name: string): string | undefined {
  const begin = page.indexOf(toBegin(name));
  const end = page.indexOf(toEnd(name));
  return begin < 0 || end < begin ? undefined : page.slice(begin + toBegin(name).length, end).trim();
}

const HEAD = `# Klaus beside other agents

\`npm run bench:peers\` fetches Codex, pi, opencode and Claude Code from the npm registry (about 1 GB, kept in \`node_modules/.cache/peers\`), installs Klaus from \`npm pack\` into an empty prefix, and gives all of them the same work, with the scripted model server in the place of a model. Read the ratios: the figures are those of one machine on one day.

\`--quick\` takes few rounds; \`--task NAME\` (\`one-tool\`, \`slow-model\`, \`turns\`, \`deltas\`, \`big-output\`), \`--peer NAME\` (\`codex\`, \`pi\`, \`opencode\`, \`claude-code\`) and \`--pairs N\` choose; both names may be given several times. \`--write\` writes this page, \`--keep\` keeps homes, workspaces and outputs. With \`--slow-every N\` a peer that takes over four times the CPU of the fastest runs in every Nth round only. Interrupted, it shows the rounds that are done. A peer that cannot be fetched or does not do the work is named and left out. The exit code is 1 when a bar for CPU time is missed: it is the figure that a busy machine changes least.`;

const TAIL = `## Why bars are missed

- **CPU and wall time of one tool call**: a run without the sandbox takes a quarter less than one with it. The rest is Node: about 45 ms of CPU before the first line of a program, and about 80 ms to load the code of a run and the modules that it needs. The native program of Codex has none of that.
- **request to next, one tool call and a model that takes 300 ms**: of the 44 ms beyond the model, the commits to the disk take about 8, the judgement and the two states of the workspace 17, the command in its sandbox 14 and the next request 3. Nearly all of it runs for the first time in the process; late in a run of 40 turns the same takes about 30 ms.
- **40 turns**: a turn takes 44 ms of which 20 are the engine's and 5 the commits. The sandbox of the next command is made beside it by other programs, but its preparation is not: 11 ms on the same thread. The peers have no sandbox and no states of the workspace here.
- **output of 23 MB**: every byte is searched for secrets before it is kept, at about 80 MB a second on one thread: 290 ms.

## How it is taken

- **Programs.** Each peer runs its native program, or its bundle under Node, without npm's launcher before it, which is how it is fastest; it has all rights and no sandbox. Klaus runs as \`klaus run --json\` of the installed package with its own defaults: sandbox, snapshots, redaction, every event synced to the disk before it is shown. The Node that they find is a copy of the one that runs the bench, so that no memory is shared with it.
- **Places.** Each agent and task has an empty home and a git repository of its own, and no network but loopback. A first round does not count, so what a program does once in its life is done. What agents write goes to files.
- **Rounds.** In each round every agent runs once, each round beginning with another one. A figure is the median of the rounds, in brackets the interval that holds the true median with 95 % confidence (order statistics). A bar compares Klaus with the best peer at that very figure, round by round.
- **Work.** A run counts only when the agent has made as many requests as the work takes, and its output holds what the model can only have said after the tools had really run.
- **CPU** is user and system time of everything that the program starts, counted by the kernel in a control group, also of processes that are gone or have outlived their parent.
- **Memory** is the sum of the proportional set sizes of all its processes, looked at every 10 ms in rounds of their own between the others, because looking costs time; the highest sum counts.
- **Requests.** Their arrival is seen at the model server. Requests for titles and the like, which bring no tools, are not counted. Prefix reuse is the least share of a prompt that is unchanged at the beginning of the next.
`;
