/** A sample for tests: one block of each kind, some with blank lines. */
export const SAMPLE = `## A heading

A paragraph of some words, so that there is something to cut at a place that suits,
of two lines.

- one
- two

  still two

\`\`\`ts
const a = 1;

const b = 2;
\`\`\`

| a | b |
|---|---|
| 1 | 2 |

`;
