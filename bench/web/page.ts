export function toPage(figures: string): string {
  return `# Benchmarks of the page

\`npm run bench:web\` measures the page that \`klaus serve\` gives out, as it is packed, in a real Chromium without a window. Read the ratios, which compare it with a page that does the least that can be done with the same bytes in the same run. \`npm run bench:web -- NAME\` runs one of \`load\`, \`open\`, \`stream\`, \`diff\`, \`hold\`; \`--quick\` takes shorter sessions and fewer rounds; \`--write\` writes this page. \`npm run bench\` measures [the engine](benchmarks.md), \`npm run bench:server\` [the server](benchmarks-server.md).

${figures}

## How each is taken

Figures of the page come from Chromium's own trace and count the CPU time of its main thread, so that other work on the machine is not taken for the page's. *Scripting* is what the developer tools call so: JavaScript, its compilation and its garbage collection, without the style, layout and paint that it causes. A *task* is one stretch of the main thread without a pause, of any kind. Where the clock on the wall is meant, the name says so. Every visit is a page of its own with empty caches; where several rounds are run the figure is their median, and Klaus and the bare page take turns.

- **load**: everything that \`index.html\` names, each file with gzip; and what the browser receives, headers included, until the message field can be written in. The server sends brotli. Colours of code, reviews, diffs of turns, files, the gate and the plots of usage are in files of their own, which are fetched when they are first shown; \`test/web/first-load.test.ts\` fails when the first load outgrows its bar or takes one of them in.
- **open**: a log of 10,000 messages (1,000 prompts, each with four answers that call a tool, their results, and a last answer in Markdown with a list, code and a table; 35,000 events, 20 MB), written through the store's own append. *Interactive* is when its last words are shown and a key that was pressed has done what it does: \`i\` goes to the message field, and typed text appears there. The page shows the end of a long log first and folds all of it at the same time, in short tasks that leave time for input; the second line counts that too. The wheel then turns by ${1_500} pixels again and again to the beginning and back, with every row measured during it. The heap is read after a collection. What a page holds that stays open is compared with the share that as many events have of a log that was there when it was opened.
- **stream**: the scripted model, in a process of its own, writes one answer of 1 MB in pieces of 40 characters, one every millisecond, through the real client, engine and server. An *update* is everything scripted from one picture to the next: reading the stream, the fold, cutting Markdown, React, scrolling to the end. On a machine that has other work pictures are rarer, and each takes more pieces in.
- **diff**: the model asks to write a file of 50,000 lines, the approval waits, and the button that shows the change is clicked: from the click, as the browser dates it, to the picture with the first lines. The hunks came with the log that the page follows, and the code of the review is fetched when such a question is first shown: the click asks for nothing.
- **hold**: the server's main thread, whose own CPU time a timer reads every millisecond: how much of it went by at most between two looks, while a client opens the stream of that log from its beginning. What a hundred idle sessions hold is in [the server's page](benchmarks-server.md).
`;
}
