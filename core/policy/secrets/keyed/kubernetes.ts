const MAY_BE = /kind["']?[ \t]{0,4}:[ \t]{0,4}["']?Secret/;
const KIND = /^[ \t]{0,40}["']?kind["']?[ \t]{0,4}:[ \t]{0,4}["']?Secret["']?[ \t,]{0,4}\r?$/gm;
const BLOCK = /^(?<indent>[ \t]{0,40})["']?(?:data|stringData)["']?[ \t]{0,4}:[ \t]{0,4}(?:\{[ \t]{0,4})?\r?$/gm;
const PAIR =
  /^[ \t]{1,80}["']?[\w.-]{1,253}["']?[ \t]{0,4}:[ \t]{1,4}(?<quote>["']?)(?<value>[^\s"']{4,65536})\k<quote>[ \t,]{0,4}(?:#[^\n]{0,400})?$/d;
const REFERENCE = /\{\{|\$\{|^<|^ENC\[/;

/** Every value of a Kubernetes Secret, in YAML or JSON: their keys are free. */
export function* findKubernetesSecrets(text: string): Generator<readonly [start: number, end: number]> {
  if (!MAY_BE.test(text) || text.search(KIND) < 0) return;
  for (const block of text.matchAll(BLOCK)) {
    if (!isInSecret(text, block.index)) continue;
    const indent = block.groups?.['indent']?.length ?? 0;
    let at = block.index + block[0].length + 1;
    for (; at < text.length;) {
      const end = text.indexOf('\n', at) < 0 ? text.length : text.indexOf('\n', at);
      const line = text.slice(at, end).replace(/\r$/, '');
      const depth = line.length - line.trimStart().length;
      if (line.trim() !== '' && depth <= indent) break;
      const span = PAIR.exec(line)?.indices?.groups?.['value'];
      if (span && !REFERENCE.test(line.slice(...span))) yield [at + span[0], at + span[1]];
      at = end + 1;
    }
  }
}

/** Whether the document around an offset is a Secret. Documents of YAML end with `---`, objects of a list with a brace. */
function isInSecret(text: string, at: number): boolean {
  const from = Math.max(0, text.lastIndexOf('\n---', at));
  const next = text.indexOf('\n---', at);
  const document = text.slice(from, next < 0 ? text.length : next);
  return document.search(KIND) >= 0;
}
