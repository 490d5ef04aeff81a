/** A sentence in which text between backticks is set as code. */
export function CodeText({ text }: { text: string }) {
  return text.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part));
}
