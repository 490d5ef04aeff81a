import { z } from 'zod';

/** A variable, a property or an element, rendered without running code of the program, with secrets masked. */
export interface ValueNode {
  /** `user`, `[0]`, `"a key"`. */
  name: string;
  /** `string`, `number`, `Array`, `Map`, the name of a class, … */
  type: string;
  /** One line, at most 200 characters. */
  preview: string;
  /** Number of elements, entries or characters. */
  size?: number | undefined;
  /** Path for `locals` that shows more of it; absent for a value without parts. */
  path?: string | undefined;
  /** Absent: not read at this depth. */
  children?: ValueNode[] | undefined;
  /** Number of children that were left out. */
  omitted?: number | undefined;
}

export const valueNodeSchema: z.ZodType<ValueNode> = z.object({
  name: z.string(),
  type: z.string(),
  preview: z.string(),
  size: z.int().nonnegative().optional(),
  path: z.string().optional(),
  get children() {
    return z.array(valueNodeSchema).optional();
  },
  omitted: z.int().positive().optional(),
});
