import { availableParallelism, loadavg } from 'node:os';

export interface Circumstances {
  command: string;
  /** Runnable processes, mean of a minute, as the bench began and as it ended. */
  load: { before: number; after: number };
}

export function readLoad(): number {
  return loadavg()[0]!;
}

export function describe({ command, load }: Circumstances): string {
  const day = new Date().toISOString().slice(0, 10);
  const busy = `load ${load.before.toFixed(1)} before and ${load.after.toFixed(1)} after`;
  return `\`${command}\`, ${day}, ${availableParallelism()} cores, ${process.platform} ${process.arch}, Node ${process.version}, ${busy}`;
}

export function toPage(figures: string): string {
  return `# Benchmarks

\`npm run bench\` measures what Klaus costs beside a bare program on the same machine in the same run. Read the ratios: the figures themselves are those of one machine on one day. \`npm run bench -- NAME\` runs one of \`start\`, \`roof\`, \`first-byte\`, \`turns\`, \`append\`, \`resume\`, \`memory\`, \`prefix\`, \`mcp\`, \`sandbox\`, \`docker\`, \`snapshot\`, \`git-data\`, \`carried-contents\`, \`checkpoint\`, \`working-copy\`, \`wrap\`; \`--quick\` takes fewer rounds and shorter sessions; \`--write\` writes this page.

\`npm run bench:peers\` measures Klaus [beside other agents](benchmarks-peers.md) at the same work, \`npm run bench:server\` the [server](benchmarks-server.md), \`npm run bench:web\` the [page](benchmarks-web.md) in a browser, and \`npm run bench:tui\` the [terminal](benchmarks-terminal.md).

${figures}

## Why bars are missed

These can be missed on a machine like the one above; the table marks those that were.

- **klaus sessions --all**: a listing takes a start of the program (1.3 ×) and about 5 µs a row: SQLite sorts and reads the rows, and V8 makes strings of them, in memory that is new to the process. The default list of 50 does not.
- **durable events**: 97 % of the time is SQLite's own. An event writes its record, the end of its chain and one or two rows that are read without the log (sessions, messages, tool calls, tokens); the bare figure writes one row.
- **sandbox**: bubblewrap reads the table of mounts again for each of about 35 mounts; a second program makes the other 70, and its start costs as much as the bench's memory makes a fork cost. It is hidden when the model takes 0.2 s to answer: see the row of the sandbox that was made ahead.
- **Docker sandbox**: half a second before each command, in which the process of the next command starts. Directly after another command it has to start first, as the process of a bare \`docker exec\` has to.
- **a command begins**: it is about 4 ms in a process of its own; the memory of the other figures of this program makes each step slower. Most of it searches for secret files and compares the mounts again.
- **git-data**: the new intake is seven new files and folders; how long a filesystem takes to create one differs by a factor of ten. Between the commands of a run it stays, so that a turn mostly takes the 2 ms of the two states.
- **checkpoint**: of 255 ms, git status takes 95. Git then adds the file to an index of 50,000 entries, writes that, and makes the tree from it: 75 ms. Copying the index, bringing it to the last checkpoint and counting the changes take 50 ms, the sandbox 10 ms.
- **resume**: the body of the request is the rest of the history, and a new run sends two words.
- **growth, resident**: what is live grows by a fifth of it; the rest is space that the collector keeps.
- **klaus wrap, start**: the program starts when its session is durable, the workspace has its snapshot and the sandbox exists. That is nearly all CPU time of one thread: a quarter of it loads the engine, the rest opens the session, searches the programs on \`PATH\` and the secret files, and plans the mounts; bubblewrap and Perl work beside it. The start of the program itself takes no longer than without Klaus, except that Claude Code finds a new home folder.
- **klaus wrap, turns**: each request is a second request over HTTP, and two durable appends: the reservation before it is sent, and what its answer shows. That is 2 to 3 ms, which a program whose turn takes 5 ms notices most.
- **first byte, source**: a clone reads each module from its file. Since agents and delegation it reads 53 modules more, and the ratio is 5.6 % higher than before (14.39 → 15.20, 5 rounds each in turns). The bundle, which is what users install, is 1.4 % higher (4.31 → 4.37).

## How each is taken

Where programs are compared they run in turn, each round beginning with another one, and the figure is the median of the rounds. A first round warms caches and does not count. The load above counts the bench's own work too.

- **start**: from the start of the program to its end. The bundle is what \`npm run build\` makes, run as \`node dist/klaus.cjs\`, with a state folder that exists and so with its code cache; the source is \`./klaus\` of a clone, which is a shell script before it is Node.
- **roof**: commands over 10,000 sessions, each with a prompt and an answer, from the start of the program to its end, output to \`/dev/null\`; of \`attach\` to the first line of the log. The memory and the wakes (how often a second a thread of the process goes to sleep by itself, over 20 s) are those of a daemon that has opened 100 sessions of 20 turns, beside one without sessions: what a session has to wake for would be visible as more wakes.
- **first-byte**: from the start of \`klaus run\` to the first byte of the POST at a raw socket, with the sandbox chosen and the session durable by then.
- **turns**: user and system time of all threads of the engine's process, mean of the 20 turns around the one named; at turn 10 the middle one of seven sessions. Each turn is one request, one streamed answer and one file read. The server has a process of its own. The client is another process that posts the recorded bodies in the same order with \`fetch\` and reads the answers. Both have worked through a session of 150 turns before, so that code is as warm at turn 10 as it is later. The last line is the engine's own part late in the session against early: it should stay near 1, and what lies above is work that grows with the history.
- **append**: the seven events of a turn, over and over, with hash chain and projections, against rows of the same bytes in a table without either.
- **resume**: a log of 10,000 messages in turns of one file read, compacted where a window of a million tokens is full, as a killed process leaves it. Opened: what is in memory before the first step, from the state that was cached with the log and the events since. Resumed: from the start of \`klaus resume\` to the first byte of the POST, whose body is the rest of that history, beside the same of \`klaus run\` with a prompt of two words.
- **memory**: the peak that the kernel counts for the process (\`VmHWM\`).
- **prefix**: what the requests of one session have in common with the one before, from the bytes as they were sent; and the share of the prompt that the scripted server counts as read from its cache. The bare figure is what an ideal client would reach: each request the one before with something behind it. Tokens are counted in complete messages, so their share can lie a little beside it.
- **mcp**: the first request of a session with an MCP server of 200 tools, less that of the same session without it. At most 200 bytes are allowed.
- **sandbox**: one command in the driver that Klaus would choose, with its limits, in a git repository of 40 packages with four secret files, against the same program started directly; and against \`bwrap\` with new namespaces alone, which has no filter, limits, masks or protected places.
  The last row is the time from a call to the begin of its command in a sandbox that was made ahead, as it is while the model answers.
- **docker**: a shell that does nothing, in the container that the session has already, with the checks before and after it, beside a \`docker run\` of the same shell without mounts, limits or a profile. Both use the \`docker\` program and an engine that the bench starts.
- **secrets**: Klaus's own sources, zod's and the type declarations that come with TypeScript, with the promised rules and gitleaks', beside a loop that looks at every character; and a clean MiB of it through the redactor, with values whose encodings are looked for too, beside one that knows the ten promised rules alone.
- **snapshot**: one process, snapshot after snapshot of files that do not change, beside a walk that looks at every entry once on the same thread. The first one reads, packs and makes durable every file.
- **git-data**: what the protection of git's data adds to a turn with one command: two states of it and one intake for new objects, in a repository whose objects are files of their own. Nothing changed in between.
- **carried-contents**: what the check of protected places adds to a turn that commits one file: the differences of git's data and of the index before and after with the check of the trees that it caches, and during that one script of git in a sandbox that was not made ahead and that shows the workspace read-only, which lists the new commits with what they change. A turn that leaves refs and index equal compares two ids.
- **checkpoint**: the commit on a private ref that ends a run, in the sandbox, after an edit of one line, beside \`git status\` after the same edit.
- **working-copy**: a private clone with its branch, its record and a copied file, beside \`git worktree add\` of the same repository of 50,000 files, each after a \`sync\`.
- **wrap**: from the start of the program, or of \`klaus wrap\`, to its first request with tools at the scripted model server, and from there to the last of 40. The model answers at once, each turn runs \`echo\`. The small agent is one file that sends requests and runs their commands. Claude Code is left out where it cannot be fetched.
`;
}
