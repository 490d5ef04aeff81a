/** Finds the end of a JSON object, or of a JSON string, that arrives in pieces. */
export class JsonScanner {
  #depth = 0;
  #inString = false;
  #isEscaped = false;

  /** @returns The number of characters of `text` up to the end, or undefined before it. */
  read(text: string): number | undefined {
    let depth = this.#depth;
    let inString = this.#inString;
    let isEscaped = this.#isEscaped;
    for (let at = 0; at < text.length; at++) {
      const char = text.charCodeAt(at);
      if (isEscaped) isEscaped = false;
      else if (inString && char === BACKSLASH) isEscaped = true;
      else if (char === QUOTE) {
        inString = !inString;
        if (!inString && depth === 0) return at + 1;
      } else if (inString) continue;
      else if (char === OPEN_BRACE || char === OPEN_BRACKET) depth++;
      else if ((char === CLOSE_BRACE || char === CLOSE_BRACKET) && --depth === 0) return at + 1;
    }
    this.#depth = depth;
    this.#inString = inString;
    this.#isEscaped = isEscaped;
    return undefined;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
