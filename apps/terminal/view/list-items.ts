const ITEM = /^([ ]*)([-+*]|(\d{1,9})[.)])( +)(\[[ xX]\] +)?(?=\S)/;

interface Item {
  /** Columns before its sign and before its content. */
  indent: number;
  content: number;
  sign: string;
  /** The number that is shown; undefined for a bullet. */
  number: number | undefined;
  /** Of a task. */
  box: string;
}

/** The items of a list that contain a line of Markdown, the outermost first. */
export class ListItems {
  #items: Item[] = [];

  get isEmpty(): boolean {
    return this.#items.length === 0;
  }

  /** Columns before the content of the innermost one. */
  get content(): number {
    return this.#items.at(-1)?.content ?? 0;
  }

  /** Leaves the items that do not contain a line with so many spaces at its beginning. @returns The outermost of them. */
  leave(indent: number): Item | undefined {
    const kept = this.#items.findIndex(({ content }) => content > indent);
    return kept < 0 ? undefined : this.#items.splice(kept)[0];
  }

  /** Enters an item. @returns What the item needs before it, and the offset of its text; undefined: the line is none. */
  enter(line: string): { before: string; text: number } | undefined {
    const [all, indent, sign, number, spaces, box = ''] = ITEM.exec(line) ?? [];
    if (all === undefined) return undefined;
    const left = this.leave(indent!.length);
    const isNext = left?.number !== undefined && number !== undefined && left.sign.at(-1) === sign!.at(-1);
    const shown = isNext ? left.number! + 1 : number === undefined ? undefined : Number(number);
    const outside = this.toText();
    // The library counts on from the first number of a list.
    const before = isNext && shown !== Number(number) ? `${outside}${toText({ ...left, box: '' })}\n` : outside;
    const columns = indent!.length + sign!.length;
    const content = columns + Math.min(4, spaces!.length);
    this.#items.push({ indent: indent!.length, content, sign: sign!, number: shown, box });
    return { before, text: all.length };
  }

  /** The beginning of each item, without its text. */
  toText(): string {
    return this.#items.map((item) => `${toText(item)}\n`).join('');
  }

  /** The same, for what continues the text of the innermost one. */
  toTextBefore(): string {
    return this.isEmpty ? '' : `${this.toText().slice(0, -1)}\\\n${' '.repeat(this.content)}`;
  }
}

function toText({ indent, sign, number, box }: Item): string {
  const shown = number === undefined ? sign : `${number}${sign.at(-1)}`;
  return `${' '.repeat(indent)}${shown} ${box}x`;
}
