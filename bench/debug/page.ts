export function toPage(figures: string): string {
  return `# Benchmarks of the runtime debugger

\`npm run bench:debug\` measures what \`klendathu\` costs inside the program that imports it. Read the ratios. \`npm run bench:debug -- NAME\` runs one of \`unarmed\`, \`installed\`, \`armed\`, \`capture\`, \`evaluation\`, \`large\`; \`--quick\` takes fewer rounds; \`--write\` writes this page.

${figures}

## How each is measured

- **unarmed**: a program of its own that imports the library and does not arm it, beside the same program without the import. They take turns. Each does its work seven times and reports the best time. A test asserts that the import installs no inspector session, asynchronous hook, timer or listener.
- **installed**: both packages as they are published, in a project. The import is measured in the program itself. The first tool call is measured from the call of \`investigate\` to the message that the agent has its result, with the scripted model server as the model.
- **armed**: \`arm()\` while the program awaits and throws. The bar of four times for awaits is missed. V8 takes another way for each \`await\` as soon as a debugger is attached, regardless of its use: an inspector session with \`Debugger.enable\` and nothing else costs the same, as the rows show, which are measured in turns in one process. \`arm()\` needs that session, because V8 reports errors to nothing else while their frames exist. It does not ask V8 for asynchronous stacks, whose cost is the row after it, so variables of callers across an \`await\` are not captured, and no option changes that. Pausing for an error costs about half a millisecond in V8 alone, so errors that one place throws and catches more than 30 times in a short time are sampled; \`sample: false\` captures each. The variables of the last 50 errors of a place are kept, and 64 MB of all.
- **capture**: a throw through three functions and a method, with the variables of each frame kept (\`arm({ sample: false })\`), and the same throw without.
- **evaluation**: one evaluation inside the process, without HTTP: read-only under the check of V8, read-only on copies where the check refuses the code, and with effects. The last figure is how long a loop without an end takes to be stopped.
- **large**: values with a million entries, each in a program of its own. A filter is one read-only evaluation on the live values. \`locals\` is the first look at the frame, with everything that is prepared for it: previews show the first entries and the number of all. For an object, most of both is the time in which V8 lists a million names (\`Reflect.ownKeys\`), once for each look; names that are not enumerable would be missing from a faster list.
`;
}
